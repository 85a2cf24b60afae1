// A lorry of two cells finds its way round a lake; then a building goes up, and it plans again.
#include <cstdio>
#include <wheelbase.hpp>

namespace wb = wheelbase;

static const char rows[] = ".........\n.........\n....WW...\n.........\n.........\n.........\n";
static const char lorry[] = R"([class.lorry]
headings = 4
footprint = [[0, 0], [-1, 0]]
moves = [
  { name = "forward", by = [1, 0], time = 10 },
  { name = "reverse", by = [-1, 0], time = 30 },
  { name = "left", turn = 1, time = 10 },
  { name = "right", turn = -1, time = 10 },
]
)";

int main() {
    auto map = wb::Map::from_rows(rows);
    if (!map) return std::fprintf(stderr, "%s\n", map.message().c_str()), 1; // the text may be wrong: ask
    auto class_ = wb::Class::parse("lorry.toml", lorry);
    if (!class_) return std::fprintf(stderr, "%s\n", class_.message().c_str()), 1;
    auto tables = wb::Tables::compile(*map, *class_).value(); // shared by all lorries on this map
    auto scratch = wb::Scratch::make().value();               // the memory of one search at a time
    auto path = wb::Path::make().value();

    const wb::Goal goals[] = {{7, 1, WB_ANY_HEADING}};
    const auto request = wb::request({1, 1, 0}, goals);
    auto answer = tables.plan(request, scratch, path).value();
    std::printf("%s: %u ticks, %u moves\n", wb_plan_result_name(answer.result), answer.cost, answer.moves);

    const auto trees = static_cast<int>(map->terrain_kind("trees").value());
    const wb::Change building[] = {{WB_CHANGE_TERRAIN, {4, 0, 2, 2}, trees, {}}};
    const auto changed = map->edit(building).value();
    tables.update(*map, changed).value(); // compiles only what the edit touches
    answer = tables.plan(request, scratch, path).value();
    std::printf("%s: %u ticks, %u moves\n", wb_plan_result_name(answer.result), answer.cost, answer.moves);
    for (const auto &pose : path.poses().value()) std::printf("(%d, %d) ", pose.pose.x, pose.pose.y);
    std::puts("");
} // everything destroys itself
