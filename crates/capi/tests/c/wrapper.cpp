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

static const char rows[] = ".........\n.........\n....WW...\n.........\n.........\n.........\n";
static const char lorry[] = "[class.lorry]\nheadings = 4\nfootprint = [[0, 0], [-1, 0]]\nmoves = [\n"
                            "  { name = \"forward\", by = [1, 0], time = 10 },\n  { name = \"left\", turn = 1, time = 10 },\n"
                            "  { name = \"right\", turn = -1, time = 10 },\n]\n";

static void plans() {
    auto map = wb::Map::from_rows(rows).value();
    auto class_ = wb::Class::parse("lorry.toml", lorry).value();
    auto tables = wb::Tables::compile(map, class_).value();
    auto scratch = wb::Scratch::make().value();
    auto path = wb::Path::make().value();
    CHECK(map.describe()->width == 9 && map.terrain()->size() == 54 && *map.terrain_name(2) == "water");
    CHECK(*class_.name() == "lorry" && *class_.primitive_name(1) == "left" && class_.cells({4, 4, 1})->size() == 2);
    CHECK(*tables.is_legal({1, 1, 0}) && !*tables.is_legal({4, 2, 0}) && tables.move({1, 1, 0}, 0)->arrival == 10);
    CHECK(class_.explain_pose(map, {4, 2, 0})->find("water") != std::string::npos);

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
    CHECK(wb::Field::from_pose(tables, {1, 1, 0})->within(tables, 10)->size() == 2);

    auto queue = wb::Queue::make(9, 6, 1, 3).value();
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

// The commands and questions that worlds() does not need.
static void commands() {
    auto map = wb::Map::from_rows(rows).value();
    auto class_ = wb::Class::parse("lorry.toml", lorry).value();
    auto setup = wb::Setup::make(map, wb::settings()).value();
    const std::uint32_t kind = *setup.add(class_);
    const std::uint32_t first = *setup.add(wb::spawn(kind, {1, 1, 0}));
    auto world = wb::World::make(setup).value();
    CHECK(world.check_invariants().ok() && world.set_ticks(60).ok() && world.name_agent(first, "Anna").ok());
    CHECK(*world.agent_name(first) == "Anna" && *world.classes() == 1 && *world.class_name(kind) == "lorry");
    CHECK(world.class_cells(kind, {4, 4, 1})->size() == 2 && *world.class_of(kind)->name() == "lorry");
    CHECK(*world.add_class(class_) == kind + 1 && *world.classes() == 2 && !*world.landmarks_in_use(kind + 1));
    CHECK(*world.can_place(kind, {5, 0, 0}) == WB_NONE && *world.can_place(kind, {4, 2, 0}) == WB_REFUSED_ILLEGAL_POSE);

    auto heard = [&](std::uint32_t event) {
        std::size_t n = 0;
        for (const auto &row : *world.events()) n += row.kind == event;
        return n;
    };
    const wb::Rect all{0, 0, 9, 6}, west{0, 0, 3, 3}, east{5, 2, 3, 3};
    CHECK(world.spawn(wb::spawn_group(kind, 2, east)).ok() && world.step().ok() && world.agents()->size() == 3);
    CHECK(heard(WB_EVENT_SPAWNED) == 2);
    const wb::Goal goal[] = {{6, 1, WB_ANY_HEADING}};
    wb_order go[] = {wb::go_to(goal)};
    const std::uint32_t agents[] = {first};
    CHECK(world.order_in(west, go).ok() && world.append_in(west, go).ok() && world.set_speed_factor(agents, 500).ok());
    CHECK(world.step().ok() && world.agent(first)->order_kind == WB_ORDER_GOTO);
    CHECK(heard(WB_EVENT_ORDERED) == 2 && heard(WB_EVENT_SPEED_FACTOR_SET) == 1);
    const auto why = world.reason_for_waiting(first).value();
    CHECK(why.parts.rule == WB_WAIT_MOVES && why.text == "it moves");
    CHECK(world.set_priority_in(all, 4).ok() && world.set_team_in(all, 3).ok() && world.set_speed_factor_in(all, 2000).ok());
    CHECK(world.tasks(agents, wb::random_tasks(west), 1).ok() && world.tasks_in(east, wb::random_tasks(east)).ok());
    CHECK(world.step().ok() && heard(WB_EVENT_PRIORITY_SET) == 3 && heard(WB_EVENT_TEAM_SET) == 3);
    CHECK(heard(WB_EVENT_SPEED_FACTOR_SET) == 3);
    CHECK(world.set_class(first, 7).ok() && world.remove_in(east).ok());
    CHECK(world.step().ok() && heard(WB_EVENT_REFUSED) == 1 && heard(WB_EVENT_REMOVED) == 2);
    CHECK(world.memory()->agents == 1 && world.counts()->collisions == 0);

    // A host that finds the paths, and one that decides the moves.
    auto settings = wb::settings();
    settings.paths = WB_PATHS_HOST;
    auto of_host = wb::Setup::make(map, settings).value();
    CHECK(of_host.add(class_).ok());
    const std::uint32_t unit = *of_host.add(wb::spawn(kind, {1, 1, 0}, go));
    auto hosted = wb::World::make(of_host).value();
    CHECK(*hosted.step() == WB_RUNNING);
    auto open = hosted.path_requests().value();
    CHECK(open.requests.size() == 1 && open.requests[0].agent == unit && open.goals.size() == 1 && open.goals[0].x == 6);
    const std::uint8_t moves[] = {0, 0, 0, 0, 0};
    CHECK(hosted.answer_path(unit, moves).ok() && *hosted.step() == WB_RUNNING && hosted.path_requests()->requests.empty());
    CHECK(hosted.path(unit)->size() == 5);
    auto none = wb::World::make(of_host).value();
    CHECK(*none.step() == WB_RUNNING && none.answer_no_path(unit).ok() && none.step().ok());
    CHECK(none.counts()->orders_unreachable == 1);
    settings = wb::settings();
    settings.rule = WB_RULE_COMMANDED, settings.collision = WB_COLLISION_DISCRETE;
    auto of_rule = wb::Setup::make(map, settings).value();
    CHECK(of_rule.add(class_).ok() && of_rule.add(wb::spawn(kind, {1, 1, 0})).ok());
    auto commanded = wb::World::make(of_rule).value();
    const std::uint32_t all_agents[] = {0};
    CHECK(commanded.decide(all_agents, wb::Span<const std::uint8_t>(moves, 1)).ok() && commanded.step().ok());
    CHECK(commanded.agent(0)->to_x == 2);
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
    commands();
    failures();
    std::puts("wrapper: ok");
}
