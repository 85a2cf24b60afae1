// wheelbase.hpp: ownership, spans, failures without exceptions; with -DWHEELBASE_EXCEPTIONS the failures are thrown.
#include <array>
#include <cstring>
#include <thread>
#include <type_traits>
#include <wheelbase.hpp>

namespace wb = wheelbase;

#define CHECK(is)                                                                                             \
    do {                                                                                                      \
        if (!(is)) {                                                                                          \
            std::fprintf(stderr, "%s:%d: %s\n  %s\n", __FILE__, __LINE__, #is, wb::last_error().c_str());      \
            std::exit(1);                                                                                     \
        }                                                                                                     \
    } while (0)

static_assert(!std::is_copy_constructible_v<wb::Map> && std::is_nothrow_move_constructible_v<wb::Map>);
static_assert(!std::is_copy_assignable_v<wb::World> && std::is_nothrow_move_assignable_v<wb::World>);
static_assert(sizeof(wb::Tables) == sizeof(std::uint64_t));

static const char rows[] = "........\n........\n...WW...\n........\n........\n";
static const char lorry[] = "[class.lorry]\nheadings = 4\nfootprint = [[0, 0], [-1, 0]]\nmoves = [\n"
                            "  { name = \"forward\", by = [1, 0], time = 10 },\n  { name = \"left\", turn = 1, time = 10 },\n"
                            "  { name = \"right\", turn = -1, time = 10 },\n]\n";

static void plans() {
    auto map = wb::Map::from_rows(rows).value();
    auto class_ = wb::Class::parse("lorry.toml", lorry).value();
    auto tables = wb::Tables::compile(map, class_).value();
    auto scratch = wb::Scratch::make().value();
    auto path = wb::Path::make().value();
    CHECK(map.describe()->width == 8 && map.terrain()->size() == 40 && *map.terrain_name(2) == "water");
    CHECK(*class_.name() == "lorry" && *class_.primitive_name(1) == "left" && class_.cells({4, 4, 1})->size() == 2);
    CHECK(*tables.is_legal({1, 1, 0}) && !*tables.is_legal({3, 2, 0}) && tables.move({1, 1, 0}, 0)->arrival == 10);
    CHECK(class_.explain_pose(map, {3, 2, 0})->find("water") != std::string::npos);

    std::vector<wb::Goal> goals{{7, 1, WB_ANY_HEADING}};
    auto asked = wb::request({1, 1, 0}, goals);
    CHECK(tables.plan(asked, scratch, path)->cost == 60 && path.poses()->size() == 7 && path.moves()->size() == 6);
    CHECK(*tables.check_moves({1, 1, 0}, *path.moves()) == 6);
    bool done = *tables.begin(asked, scratch);
    while (!done) done = *tables.advance(scratch, 3);
    CHECK(tables.finish(scratch, path)->cost == 60);

    wb::Batch batch;
    std::vector<wb_request> many(200, asked);
    for (std::uint32_t threads : {1u, 3u}) {
        CHECK(tables.plan_batch(many, threads, scratch, batch).ok());
        CHECK(batch.answers.size() == 200 && batch.answers[199].cost == 60 && batch.poses.size() == 1400);
        CHECK(batch.offsets[200] == 1400 && batch.moves[6] == WB_NO_MOVE && batch.poses[6].pose.x == 7);
    }
    auto field = wb::Field::to_goal(tables, goals).value();
    CHECK(*field.cost(tables, {1, 1, 0}) == 60 && *field.path(tables, {1, 1, 0}, path) && *field.next(tables, {1, 1, 0}) == 0);
    CHECK(wb::Field::from_pose(tables, {1, 1, 0})->within(tables, 10)->size() == 4);

    auto queue = wb::Queue::make(8, 5, 1, 3).value();
    for (int n = 0; n < 9; n++) CHECK(queue.submit(0, asked, n).ok());
    const std::array<std::uint64_t, 1> of_classes{tables.handle()};
    const auto on_threads = [](std::size_t jobs, auto run) {
        std::vector<std::thread> threads;
        for (std::size_t job = 0; job < jobs; job++) threads.emplace_back([=] { run(job); });
        for (auto &thread : threads) thread.join();
    };
    CHECK(*queue.advance_on(of_classes, 100000, on_threads) == 9);
    CHECK(queue.answer(8)->answer.cost == 60 && queue.answer(8)->poses.size() == 7 && queue.answer(8)->moves.size() == 6);

    // Moved, an object has one owner.
    wb::Tables moved = std::move(tables);
    CHECK(!tables && moved && *moved.is_legal({1, 1, 0}));
    tables = moved.clone().value();
    CHECK(tables.handle() != moved.handle());
}

static void worlds() {
    auto map = wb::Map::from_rows(rows).value();
    auto class_ = wb::Class::parse("lorry.toml", lorry).value();
    auto setup = wb::Setup::make(map, wb::settings()).value();
    const std::uint32_t kind = *setup.add(class_);
    const wb::Goal east[] = {{7, 1, WB_ANY_HEADING}};
    const wb_order orders[] = {wb::go_to(east)};
    const std::uint32_t first = *setup.add(wb::spawn(kind, {1, 1, 0}, orders));
    auto world = wb::World::make(setup).value();
    auto recording = wb::Recording::begin(world).value();
    const auto saved = *world.save();
    for (int n = 0; n < 70; n++) CHECK(recording.tick(world, *world.step()).ok());
    CHECK(*world.tick() == 70 && world.agents()->size() == 1 && world.agent(first)->to_x == 7 && *world.nothing_left());
    CHECK(recording.finish(world)->size() > 100);
    CHECK(*world.agent_at({7, 1}) == first && *world.agent_at({0, 4}) == WB_NONE);
    CHECK(world.spawn(wb::spawn(kind, {1, 4, 0})).ok());
    CHECK(*world.step() == WB_RUNNING && world.agents()->size() == 2 && !world.events()->empty());
    auto other = wb::World::load(saved).value();
    for (int n = 0; n < 70; n++) CHECK(*other.step() == WB_RUNNING);
    CHECK(other.agents()->size() == 1 && world.copy_from(other).ok() && *world.hash() == *other.hash());
}

static void failures() {
    const char *rule = "c.toml:2:12:";
#ifdef WHEELBASE_EXCEPTIONS
    try {
        (void)wb::Class::parse("c.toml", "[class.a]\nheadings = 5");
        CHECK(!"nothing was thrown");
    } catch (const wb::Error &error) {
        CHECK(error.code() == WB_TEXT && std::strstr(error.what(), rule));
    }
#else
    auto failed = wb::Class::parse("c.toml", "[class.a]\nheadings = 5");
    CHECK(!failed && failed.status().code() == WB_TEXT && failed.message().find(rule) != std::string::npos);
    CHECK(std::strcmp(failed.status().name(), "text") == 0 && !wb::Map::open("no/such.map").ok());
    wb::Map none;
    CHECK(none.describe().status().code() == WB_NO_HANDLE);
#endif
}

int main() {
    plans();
    worlds();
    failures();
    std::puts("wrapper: ok");
}
