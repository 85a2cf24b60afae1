// The skirmish of skirmish/, played through wheelbase.hpp: 200 units of four classes, clicks at given ticks, a bridge that is
// blown up, a saved game. Prints what golden.txt holds:
//
//     skirmish FOLDER
//
// FOLDER has the map and the classes; the clicks are this game's own.
#include <cstdarg>
#include <fstream>
#include <iterator>
#include <wheelbase.hpp>

namespace wb = wheelbase;

constexpr std::uint32_t SAVED_AT = 300, LOADED_UNTIL = 400, TICKS = 700, LINE_EVERY = 50;
constexpr const char *CLASSES[] = {"scout", "truck", "tank", "hovercraft"};

/// Units in rows, all of one class and team: unit k stands at x + k % columns * dx, y + k / columns * dy.
struct Formation {
    std::uint32_t class_, team, heading;
    int count, x, y, columns, dx, dy;
};

/// Red (team 0) stands in the west and faces east, blue (team 1) in the east.
constexpr Formation FORMATIONS[] = {
    {0, 0, 0, 50, 2, 2, 10, 2, 2},  {1, 0, 0, 30, 4, 16, 6, 3, 2}, {2, 0, 0, 24, 4, 28, 6, 4, 3},
    {3, 0, 0, 12, 4, 46, 6, 3, 3},  {0, 1, 2, 36, 70, 2, 9, 2, 2}, {1, 1, 2, 20, 72, 14, 5, 3, 2},
    {2, 1, 2, 16, 72, 24, 4, 4, 3}, {3, 1, 2, 12, 72, 48, 6, 3, 3},
};

/// What is clicked, and what its numbers are. Units count in the order in which they were placed.
enum class Verb {
    Goto,     // First unit, count, x, y, radius.
    Nearest,  // First unit, count, x, y: or to the nearest pose that can be reached.
    Patient,  // First unit, count, x, y: or waits until there is a way.
    Face,     // First unit, count, x, y, heading.
    Group,    // First unit, count, x, y.
    Area,     // First unit, count, x, y, width, height.
    Patrol,   // First unit, count, x, y, x, y.
    Follow,   // First unit, count, leader, distance.
    Pause,    // First unit, count, ticks, x, y: waits, then goes.
    Then,     // First unit, count, x, y: after the orders that they have.
    Stop,     // First unit, count.
    Hold,     // First unit, count.
    InBox,    // X, y of the goal; x, y, width, height of a box around units.
    Speed,    // First unit, count, permille.
    Priority, // First unit, count, priority.
    Teams,    // First unit, count, team.
    Class,    // Unit, class.
    Remove,   // First unit, count.
    Shell,    // X, y, width, height: whoever is there is removed.
    Place,    // Class, team, x, y, heading.
    Drop,     // Class, count, x, y, width, height.
    Errands,  // First unit, count, x, y, width, height: errands there.
    Blow,     // X, y, width, height, what becomes of units there (0 to 4: wait ...), deadline: water.
    Build,    // X, y, width, height become ground, after so many ticks.
    FalseAlarm, // X, y, width, height: water there once nobody is on it, which is withdrawn immediately.
    Ferry,    // Unit, the unit that it enters, x, y, heading, ticks: when it returns there.
    Gate,     // X, y, kind of the western side.
    Why,      // Unit: why does it wait?
    Left,     // Unit: what is left of its path?
    Who,      // X, y: who is there?
    Many,     // X, y, width, height: how many are there?
    Room,     // Class, x, y, heading: is there room?
    Harm,     // X, y, width, height: whom would water there disturb?
    Plan,     // Unit, x, y, radius: how long would it take?
    Reach,    // Unit, ticks: how many poses can it reach?
};

struct Click {
    std::uint32_t tick;
    Verb verb;
    int n[6];
};

constexpr Click CLICKS[] = {
    {1, Verb::Group, {0, 50, 60, 14, 0, 0}}, // red's scouts over the northern bridge
    {1, Verb::Group, {80, 24, 58, 48, 0, 0}}, // its tanks over the southern one
    {1, Verb::Area, {104, 12, 56, 16, 12, 10}}, // its hovercraft across the river
    {2, Verb::Follow, {50, 10, 0, 4, 0, 0}}, // trucks behind the first scout
    {2, Verb::Goto, {60, 10, 38, 14, 6, 0}}, // trucks to the head of the bridge
    {2, Verb::Patient, {70, 10, 57, 30, 0, 0}}, // trucks over the ford
    {5, Verb::Patrol, {116, 18, 66, 6, 66, 18}}, // blue's scouts
    {5, Verb::Patrol, {134, 18, 60, 20, 60, 32}},
    {5, Verb::Pause, {152, 10, 40, 56, 30, 0}}, // its trucks set out later
    {5, Verb::Errands, {162, 10, 70, 14, 20, 20}},
    {5, Verb::Group, {172, 16, 62, 49, 0, 0}}, // its tanks to the southern bridge
    {6, Verb::Area, {188, 12, 30, 40, 10, 12}}, // its hovercraft across the river
    {20, Verb::Priority, {80, 4, 5, 0, 0, 0}},
    {30, Verb::Speed, {0, 10, 500, 0, 0, 0}}, // ten scouts are hit
    {31, Verb::Place, {0, 0, 46, 5, 0, 0}}, // into the water: refused
    {31, Verb::Place, {0, 0, 4, 60, 0, 0}},
    {31, Verb::Room, {2, 46, 5, 0, 0, 0}},
    {31, Verb::Room, {3, 46, 5, 0, 0, 0}},
    {36, Verb::FalseAlarm, {4, 16, 18, 8, 0, 0}}, // where trucks stand
    {37, Verb::Blow, {4, 16, 18, 8, 0, 0}}, // under trucks: it waits,
    {37, Verb::Build, {4, 16, 18, 8, 1, 0}}, // and is replaced
    {40, Verb::Then, {0, 20, 66, 24, 0, 0}},
    {42, Verb::Ferry, {45, 50, 38, 14, 0, 15}},  // a scout rides in a truck
    {60, Verb::Why, {50, 0, 0, 0, 0, 0}},
    {60, Verb::Left, {80, 0, 0, 0, 0, 0}},
    {75, Verb::Hold, {172, 2, 0, 0, 0, 0}},
    {90, Verb::Face, {104, 4, 60, 24, 3, 0}},
    {100, Verb::Harm, {44, 12, 8, 4, 0, 0}},
    {100, Verb::Many, {44, 12, 8, 4, 0, 0}},
    {120, Verb::Blow, {44, 12, 8, 4, 2, 0}}, // the northern bridge, with whoever is on it
    {121, Verb::Many, {44, 12, 8, 4, 0, 0}},
    {121, Verb::Left, {20, 0, 0, 0, 0, 0}},
    {121, Verb::Why, {20, 0, 0, 0, 0, 0}},
    {140, Verb::Nearest, {0, 20, 60, 14, 0, 0}}, // to the bank, then: the ford is far
    {140, Verb::Stop, {60, 10, 0, 0, 0, 0}},
    {150, Verb::Teams, {152, 10, 2, 0, 0, 0}}, // ten trucks change sides: team 2 is a friend of red
    {160, Verb::Class, {50, 2, 0, 0, 0, 0}}, // a truck becomes a tank, if there is room
    {160, Verb::Class, {61, 0, 0, 0, 0, 0}},
    {180, Verb::Drop, {0, 12, 2, 50, 20, 12}}, // twelve scouts from the air
    {200, Verb::Plan, {80, 80, 48, 2, 0, 0}},
    {200, Verb::Reach, {104, 40, 0, 0, 0, 0}},
    {200, Verb::Who, {58, 48, 0, 0, 0, 0}},
    {220, Verb::InBox, {80, 14, 56, 40, 12, 20}}, // whoever is in the box
    {240, Verb::Remove, {116, 3, 0, 0, 0, 0}},
    {250, Verb::Gate, {57, 30, 1, 0, 0, 0}}, // a wall across the ford's end
    {260, Verb::Blow, {44, 46, 8, 5, 4, 60}}, // the southern bridge, 60 ticks after the warning
    {262, Verb::Harm, {44, 46, 8, 5, 0, 0}},
    {270, Verb::Why, {81, 0, 0, 0, 0, 0}},
    {275, Verb::Shell, {76, 20, 6, 8, 0, 0}},
    {280, Verb::Speed, {0, 10, 1500, 0, 0, 0}},
    {282, Verb::Group, {104, 12, 40, 24, 0, 0}},
    {284, Verb::Patrol, {20, 20, 30, 6, 30, 40}},
    {286, Verb::Plan, {10, 80, 48, 0, 0, 0}},
    {290, Verb::Build, {44, 12, 8, 4, 60, 0}}, // given now, for later: it is in the saved game
    {295, Verb::Blow, {44, 29, 14, 2, 3, 80}}, // the ford: it waits when the game is saved
    {305, Verb::Area, {0, 50, 56, 6, 12, 16}}, // to be given again to the game that is loaded
    {310, Verb::Place, {2, 0, 10, 56, 0, 0}},
    {320, Verb::Follow, {80, 10, 104, 6, 0, 0}},
    {355, Verb::Group, {20, 30, 60, 16, 0, 0}},
    {365, Verb::Left, {104, 0, 0, 0, 0, 0}},
    {380, Verb::Why, {70, 0, 0, 0, 0, 0}},
    {400, Verb::Build, {44, 46, 8, 5, 0, 0}},
    {410, Verb::Group, {80, 24, 60, 48, 0, 0}},
    {430, Verb::Gate, {57, 30, 0, 0, 0, 0}},
    {460, Verb::Drop, {3, 5, 80, 40, 12, 8}},
    {505, Verb::InBox, {20, 14, 52, 8, 30, 16}},
    {530, Verb::Blow, {44, 12, 8, 4, 0, 0}}, // again, when nobody is on it
    {560, Verb::Hold, {116, 20, 0, 0, 0, 0}},
    {600, Verb::Errands, {150, 20, 52, 0, 44, 20}}, // ten of them had errands before
    {640, Verb::Harm, {44, 46, 8, 5, 0, 0}},
    {660, Verb::Why, {80, 0, 0, 0, 0, 0}},
    {690, Verb::Stop, {0, 100, 0, 0, 0, 0}},
};

/// What the game keeps beside the world, and saves with it.
struct Notes {
    std::vector<std::uint32_t> units; // the ids of all units ever placed, in order
    unsigned events[21] = {};         // so far, by kind
};

static std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        std::perror(path.c_str());
        std::exit(1);
    }
    return std::string(std::istreambuf_iterator<char>(file), {});
}

static wb_spawn spawn(int class_, int team, int x, int y, int heading) {
    auto made = wb::spawn(static_cast<std::uint32_t>(class_), {x, y, static_cast<std::uint32_t>(heading)});
    made.team = static_cast<std::uint32_t>(team);
    return made;
}

static wb::Rect rect(const int *n) {
    return {n[0], n[1], static_cast<std::uint32_t>(n[2]), static_cast<std::uint32_t>(n[3])};
}

static wb::Goal cell(int x, int y) { return {x, y, WB_ANY_HEADING}; }

class Game {
  public:
    wb::World world;
    Notes notes;
    std::string text;

    Game(wb::World of, Notes with) : world(std::move(of)), notes(std::move(with)) { world.check_invariants().check(); }

    static Game begin(const std::string &folder) {
        auto map = wb::Map::parse("river.map", read_file(folder + "/river.map")).value();
        auto settings = wb::settings();
        settings.name = "skirmish", settings.name_length = 8;
        settings.seed = 7, settings.expansions_per_tick = 15000;
        auto setup = wb::Setup::make(map, settings).value();
        for (const std::string name : CLASSES) {
            const auto file = name + ".toml";
            setup.add(wb::Class::parse(file, read_file(folder + "/" + file)).value()).value();
        }
        setup.friends(0, 2).check();
        Game game(wb::World::make(setup).value(), Notes{});
        for (const auto &[class_, team, heading, count, x, y, columns, dx, dy] : FORMATIONS)
            for (int k = 0; k < count; k++) {
                const auto one = spawn(static_cast<int>(class_), static_cast<int>(team), x + k % columns * dx, y + k / columns * dy,
                                       static_cast<int>(heading));
                game.world.spawn(one).value();
            }
        return game;
    }

    /// Plays up to a tick.
    void run(std::uint32_t until) {
        for (auto tick = *world.tick(); tick < until; tick++) {
            for (const auto &[at, verb, n] : CLICKS)
                if (at == tick) click(verb, n);
            world.step().value();
            for (const auto &event : *world.events()) {
                notes.events[event.kind]++;
                if (event.kind == WB_EVENT_SPAWNED) notes.units.push_back(event.agent);
            }
            if ((tick + 1) % LINE_EVERY == 0) line();
        }
    }

    void say(const char *format, ...) {
        char line[2000];
        std::va_list values;
        va_start(values, format);
        std::vsnprintf(line, sizeof line, format, values);
        va_end(values);
        text += line;
    }

  private:
    wb::Change terrain_change(const int *n, const char *kind) const {
        return {WB_CHANGE_TERRAIN, rect(n), static_cast<int>(*world.map()->terrain_kind(kind)), {}};
    }

    void click(Verb verb, const int *n) {
        const auto units = [&] {
            return wb::Span<const std::uint32_t>(notes.units.data() + n[0], static_cast<std::size_t>(n[1]));
        };
        const auto whole = [](int value) { return static_cast<std::uint32_t>(value); };
        const auto last = rect(n + 2);
        wb::Goal goals[] = {cell(n[2], n[3])};
        wb_order orders[] = {wb::go_to(goals)};
        switch (verb) {
        case Verb::Goto:
            orders[0].within = whole(n[4]);
            world.order(units(), orders).value();
            break;
        case Verb::Nearest:
            orders[0].fallback = WB_FALLBACK_NEAREST;
            world.order(units(), orders).value();
            break;
        case Verb::Patient:
            orders[0].if_unreachable = WB_UNREACHABLE_WAIT;
            world.order(units(), orders).value();
            break;
        case Verb::Face:
            goals[0].heading = whole(n[4]), orders[0].headings = 4;
            world.order(units(), orders).value();
            break;
        case Verb::Group:
            orders[0].kind = WB_ORDER_GOTO_GROUP;
            world.order(units(), orders).value();
            break;
        case Verb::Area:
            orders[0] = wb::order(WB_ORDER_GOTO_AREA), orders[0].area = last;
            world.order(units(), orders).value();
            break;
        case Verb::Patrol: {
            const wb::Goal waypoints[] = {goals[0], cell(n[4], n[5])};
            orders[0] = wb::go_to(waypoints), orders[0].kind = WB_ORDER_PATROL;
            world.order(units(), orders).value();
            break;
        }
        case Verb::Follow:
            orders[0] = wb::order(WB_ORDER_FOLLOW), orders[0].leader = notes.units[whole(n[2])], orders[0].within = whole(n[3]);
            world.order(units(), orders).value();
            break;
        case Verb::Pause: {
            const wb::Goal goal[] = {cell(n[3], n[4])};
            wb_order both[] = {wb::order(WB_ORDER_WAIT), wb::go_to(goal)};
            both[0].ticks = whole(n[2]), both[1].fallback = WB_FALLBACK_NEAREST;
            world.order(units(), both).value();
            break;
        }
        case Verb::Then:
            orders[0].fallback = WB_FALLBACK_NEAREST;
            world.append(units(), orders).value();
            break;
        case Verb::Stop:
        case Verb::Hold:
            orders[0] = wb::order(verb == Verb::Stop ? WB_ORDER_STOP : WB_ORDER_HOLD);
            world.order(units(), orders).value();
            break;
        case Verb::InBox:
            goals[0] = cell(n[0], n[1]), orders[0].kind = WB_ORDER_GOTO_GROUP;
            world.order_in(last, orders).value();
            break;
        case Verb::Speed: world.set_speed_factor(units(), whole(n[2])).value(); break;
        case Verb::Priority: world.set_priority(units(), n[2]).value(); break;
        case Verb::Teams: world.set_team(units(), whole(n[2])).value(); break;
        case Verb::Class: world.set_class(notes.units[whole(n[0])], whole(n[1])).value(); break;
        case Verb::Remove: world.remove(units()).value(); break;
        case Verb::Shell: world.remove_in(rect(n)).value(); break;
        case Verb::Place: world.spawn(spawn(n[0], n[1], n[2], n[3], n[4])).value(); break;
        case Verb::Drop: world.spawn(wb::spawn_group(whole(n[0]), whole(n[1]), last)).value(); break;
        case Verb::Errands: world.tasks(units(), wb::random_tasks(last), 1).value(); break;
        case Verb::Blow: {
            const std::uint32_t on_agents[] = {WB_ON_AGENTS_WAIT, WB_ON_AGENTS_STRAND, WB_ON_AGENTS_REMOVE,
                                               WB_ON_AGENTS_WAIT_STRAND, WB_ON_AGENTS_WAIT_REMOVE};
            const wb::Change change[] = {terrain_change(n, "water")};
            world.edit(change, on_agents[n[4]], whole(n[5])).value();
            break;
        }
        case Verb::Build: {
            const wb::Change change[] = {terrain_change(n, "ground")};
            world.edit(change, WB_ON_AGENTS_WAIT, 0, *world.tick() + whole(n[4])).value();
            break;
        }
        case Verb::Ferry: {
            const std::uint32_t unit[] = {notes.units[whole(n[0])]};
            world.leave(unit[0], {n[2], n[3], whole(n[4])}, true, *world.tick() + whole(n[5])).value();
            world.enter(unit, notes.units[whole(n[1])]).value();
            break;
        }
        case Verb::FalseAlarm: {
            const wb::Change change[] = {terrain_change(n, "water")};
            world.cancel_edit(world.edit(change, WB_ON_AGENTS_WAIT, 0).value()).value();
            break;
        }
        case Verb::Gate: {
            const wb::Change change[] = {{WB_CHANGE_SIDES, {n[0], n[1], 1, 1}, 0, {WB_KEEP, WB_KEEP, whole(n[2]), WB_KEEP}}};
            world.edit(change, WB_ON_AGENTS_WAIT, 0).value();
            break;
        }
        default: ask(verb, n);
        }
    }

    void ask(Verb verb, const int *n) {
        const auto whole = [](int value) { return static_cast<std::uint32_t>(value); };
        const auto unit = [&] { return notes.units[whole(n[0])]; };
        // A unit may be gone: that is asked first, so that a failure means nothing else.
        switch (verb) {
        case Verb::Why:
            if (!is_there(unit())) return say("  why %d: gone\n", n[0]);
            {
                const auto why = world.reason_for_waiting(unit()).value();
                say("  why %d: %s: %s\n", n[0], wb_wait_rule_name(why.parts.rule), why.text.c_str());
            }
            break;
        case Verb::Left:
            if (!is_there(unit())) return say("  left %d: gone\n", n[0]);
            {
                const auto path = world.path(unit()).value();
                say("  left %d: %zu poses, %u ticks\n", n[0], path.size(), path.back().arrival);
            }
            break;
        case Verb::Who: {
            const auto agent = *world.agent_at({n[0], n[1]});
            say("  who %d %d: %s\n", n[0], n[1], agent == WB_NONE ? "nobody" : std::to_string(agent).c_str());
            break;
        }
        case Verb::Many: say("  many %d %d: %zu\n", n[0], n[1], world.agents_in(rect(n))->size()); break;
        case Verb::Room: {
            const auto refusal = *world.can_place(whole(n[0]), {n[1], n[2], whole(n[3])});
            say("  room %d: %s\n", n[0], refusal == WB_NONE ? "yes" : wb_refusal_name(refusal));
            break;
        }
        case Verb::Harm: {
            const wb::Change change[] = {terrain_change(n, "water")};
            say("  harm %d %d: %zu\n", n[0], n[1], world.would_disturb(change)->size());
            break;
        }
        case Verb::Plan:
            if (!is_there(unit())) return say("  plan %d: gone\n", n[0]);
            {
                auto scratch = wb::Scratch::make().value();
                auto path = wb::Path::make().value();
                const wb::Goal goals[] = {cell(n[1], n[2])};
                const auto answer = *world.plan(unit(), goals, whole(n[3]), scratch, path);
                const auto *result = wb_plan_result_name(answer.result);
                say("  plan %d: %s, %u ticks, %zu moves\n", n[0], result, answer.cost, path.moves()->size());
            }
            break;
        default: {
            const std::size_t reached = is_there(unit()) ? world.reach(unit(), whole(n[1]))->size() : 0;
            say("  reach %d: %zu poses\n", n[0], reached);
        }
        }
    }

    bool is_there(std::uint32_t agent) const {
        for (const auto &row : *world.agents())
            if (row.id == agent) return true;
        return false;
    }

    void line() {
        const auto rows = *world.agents();
        int x = 0, y = 0, headings = 0;
        for (const auto &row : rows) x += row.to_x, y += row.to_y, headings += row.to_heading;
        const auto counts = *world.counts();
        const auto saved = *world.save();
        std::uint32_t checksum = 0x811c9dc5; // FNV-1a of 32 bits
        for (const auto byte : saved) checksum = (checksum ^ byte) * 0x01000193u;
        const auto wide = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
        say("tick %u hash %016llx units %zu", *world.tick(), wide(*world.hash()), rows.size());
        say(" x %d y %d headings %d moves %llu done %llu", x, y, headings, wide(counts.moves), wide(counts.orders_done));
        say(" failed %llu overlaps %llu events", wide(counts.orders_unreachable), wide(counts.collisions));
        for (const auto n : notes.events) say(" %u", n);
        say(" saved %zu %08x\n", saved.size(), checksum);
    }
};

int main(int argc, char **argv) {
    if (argc != 2) return std::fputs("usage: skirmish FOLDER\n", stderr), 2;
    auto game = Game::begin(argv[1]);
    game.run(SAVED_AT);
    // The saved game is loaded into a second world. It gets the same clicks, and goes the same way.
    Game again(wb::World::load(*game.world.save()).value(), game.notes);
    const auto before = game.text.size();
    game.run(LOADED_UNTIL);
    again.run(LOADED_UNTIL);
    if (game.text.substr(before) != again.text)
        return std::fprintf(stderr, "the loaded game goes another way:\n%s", again.text.c_str()), 1;
    game.say("loaded at %u: hash %016llx\n", SAVED_AT, static_cast<unsigned long long>(*again.world.hash()));
    // What that one saves goes on in the place of the first.
    game.world.restore(*again.world.save()).check();
    game.world.check_invariants().check();
    game.run(TICKS);
    std::fputs(game.text.c_str(), stdout);
}
