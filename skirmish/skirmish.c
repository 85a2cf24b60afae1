/* The skirmish of skirmish/, played through wheelbase.h: 200 units of four classes, clicks at given ticks, a bridge that is
 * blown up, a saved game. Prints what golden.txt holds:
 *
 *     skirmish FOLDER
 *
 * FOLDER has the map and the classes; the clicks are this game's own. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wheelbase.h>

enum { SAVED_AT = 300, LOADED_UNTIL = 400, TICKS = 700, LINE_EVERY = 50, UNITS_MAX = 300, EVENT_KINDS = 21 };

static const char *const classes[] = {"scout", "truck", "tank", "hovercraft"};

/* Units in rows, all of one class and team: unit k stands at x + k % columns * dx, y + k / columns * dy. */
static const struct formation {
    uint32_t class_, team, heading;
    int count, x, y, columns, dx, dy;
} formations[] = {
    /* Red (team 0) stands in the west and faces east, blue (team 1) in the east. */
    {0, 0, 0, 50, 2, 2, 10, 2, 2},  {1, 0, 0, 30, 4, 16, 6, 3, 2}, {2, 0, 0, 24, 4, 28, 6, 4, 3},
    {3, 0, 0, 12, 4, 46, 6, 3, 3},  {0, 1, 2, 36, 70, 2, 9, 2, 2}, {1, 1, 2, 20, 72, 14, 5, 3, 2},
    {2, 1, 2, 16, 72, 24, 4, 4, 3}, {3, 1, 2, 12, 72, 48, 6, 3, 3},
};

/* What is clicked, and what its numbers are. Units count in the order in which they were placed. */
enum verb {
    GOTO,     /* First unit, count, x, y, radius. */
    NEAREST,  /* First unit, count, x, y: or to the nearest pose that can be reached. */
    PATIENT,  /* First unit, count, x, y: or waits until there is a way. */
    FACE,     /* First unit, count, x, y, heading. */
    GROUP,    /* First unit, count, x, y. */
    AREA,     /* First unit, count, x, y, width, height. */
    PATROL,   /* First unit, count, x, y, x, y. */
    FOLLOW,   /* First unit, count, leader, distance. */
    PAUSE,    /* First unit, count, ticks, x, y: waits, then goes. */
    THEN,     /* First unit, count, x, y: after the orders that they have. */
    STOP,     /* First unit, count. */
    HOLD,     /* First unit, count. */
    IN_BOX,   /* X, y of the goal; x, y, width, height of a box around units. */
    SPEED,    /* First unit, count, permille. */
    PRIORITY, /* First unit, count, priority. */
    TEAMS,    /* First unit, count, team. */
    CLASS,    /* Unit, class. */
    REMOVE,   /* First unit, count. */
    SHELL,    /* X, y, width, height: whoever is there is removed. */
    PLACE,    /* Class, team, x, y, heading. */
    DROP,     /* Class, count, x, y, width, height. */
    ERRANDS,  /* First unit, count, x, y, width, height: errands there. */
    BLOW,     /* X, y, width, height, what becomes of units there (0 to 4: wait ...), deadline: water. */
    BUILD,    /* X, y, width, height become ground, after so many ticks. */
    FALSE_ALARM, /* X, y, width, height: water there once nobody is on it, which is withdrawn immediately. */
    FERRY,    /* Unit, the unit that it enters, x, y, heading, ticks: when it returns there. */
    GATE,     /* X, y, kind of the western side. */
    WHY,      /* Unit: why does it wait? */
    LEFT,     /* Unit: what is left of its path? */
    WHO,      /* X, y: who is there? */
    MANY,     /* X, y, width, height: how many are there? */
    ROOM,     /* Class, x, y, heading: is there room? */
    HARM,     /* X, y, width, height: whom would water there disturb? */
    PLAN,     /* Unit, x, y, radius: how long would it take? */
    REACH,    /* Unit, ticks: how many poses can it reach? */
};

/* Tick, what, and its numbers. */
static const struct click {
    uint32_t tick;
    enum verb verb;
    int32_t n[6];
} clicks[] = {
    {1, GROUP, {0, 50, 60, 14, 0, 0}},            /* red's scouts over the northern bridge */
    {1, GROUP, {80, 24, 58, 48, 0, 0}},           /* its tanks over the southern one */
    {1, AREA, {104, 12, 56, 16, 12, 10}},         /* its hovercraft across the river */
    {2, FOLLOW, {50, 10, 0, 4, 0, 0}},            /* trucks behind the first scout */
    {2, GOTO, {60, 10, 38, 14, 6, 0}},            /* trucks to the head of the bridge */
    {2, PATIENT, {70, 10, 57, 30, 0, 0}},         /* trucks over the ford */
    {5, PATROL, {116, 18, 66, 6, 66, 18}},        /* blue's scouts */
    {5, PATROL, {134, 18, 60, 20, 60, 32}},
    {5, PAUSE, {152, 10, 40, 56, 30, 0}},         /* its trucks set out later */
    {5, ERRANDS, {162, 10, 70, 14, 20, 20}},
    {5, GROUP, {172, 16, 62, 49, 0, 0}},          /* its tanks to the southern bridge */
    {6, AREA, {188, 12, 30, 40, 10, 12}},         /* its hovercraft across the river */
    {20, PRIORITY, {80, 4, 5, 0, 0, 0}},
    {30, SPEED, {0, 10, 500, 0, 0, 0}},           /* ten scouts are hit */
    {31, PLACE, {0, 0, 46, 5, 0, 0}},             /* into the water: refused */
    {31, PLACE, {0, 0, 4, 60, 0, 0}},
    {31, ROOM, {2, 46, 5, 0, 0, 0}},
    {31, ROOM, {3, 46, 5, 0, 0, 0}},
    {36, FALSE_ALARM, {4, 16, 18, 8, 0, 0}},      /* where trucks stand */
    {37, BLOW, {4, 16, 18, 8, 0, 0}},             /* under trucks: it waits, */
    {37, BUILD, {4, 16, 18, 8, 1, 0}},            /* and is replaced */
    {40, THEN, {0, 20, 66, 24, 0, 0}},
    {42, FERRY, {45, 50, 38, 14, 0, 15}},         /* a scout rides in a truck */
    {60, WHY, {50, 0, 0, 0, 0, 0}},
    {60, LEFT, {80, 0, 0, 0, 0, 0}},
    {75, HOLD, {172, 2, 0, 0, 0, 0}},
    {90, FACE, {104, 4, 60, 24, 3, 0}},
    {100, HARM, {44, 12, 8, 4, 0, 0}},
    {100, MANY, {44, 12, 8, 4, 0, 0}},
    {120, BLOW, {44, 12, 8, 4, 2, 0}},            /* the northern bridge, with whoever is on it */
    {121, MANY, {44, 12, 8, 4, 0, 0}},
    {121, LEFT, {20, 0, 0, 0, 0, 0}},
    {121, WHY, {20, 0, 0, 0, 0, 0}},
    {140, NEAREST, {0, 20, 60, 14, 0, 0}},        /* to the bank, then: the ford is far */
    {140, STOP, {60, 10, 0, 0, 0, 0}},
    {150, TEAMS, {152, 10, 2, 0, 0, 0}},          /* ten trucks change sides: team 2 is a friend of red */
    {160, CLASS, {50, 2, 0, 0, 0, 0}},            /* a truck becomes a tank, if there is room */
    {160, CLASS, {61, 0, 0, 0, 0, 0}},
    {180, DROP, {0, 12, 2, 50, 20, 12}},          /* twelve scouts from the air */
    {200, PLAN, {80, 80, 48, 2, 0, 0}},
    {200, REACH, {104, 40, 0, 0, 0, 0}},
    {200, WHO, {58, 48, 0, 0, 0, 0}},
    {220, IN_BOX, {80, 14, 56, 40, 12, 20}},      /* whoever is in the box */
    {240, REMOVE, {116, 3, 0, 0, 0, 0}},
    {250, GATE, {57, 30, 1, 0, 0, 0}},            /* a wall across the ford's end */
    {260, BLOW, {44, 46, 8, 5, 4, 60}},           /* the southern bridge, 60 ticks after the warning */
    {262, HARM, {44, 46, 8, 5, 0, 0}},
    {270, WHY, {81, 0, 0, 0, 0, 0}},
    {275, SHELL, {76, 20, 6, 8, 0, 0}},
    {280, SPEED, {0, 10, 1500, 0, 0, 0}},
    {282, GROUP, {104, 12, 40, 24, 0, 0}},
    {284, PATROL, {20, 20, 30, 6, 30, 40}},
    {286, PLAN, {10, 80, 48, 0, 0, 0}},
    {290, BUILD, {44, 12, 8, 4, 60, 0}},          /* given now, for later: it is in the saved game */
    {295, BLOW, {44, 29, 14, 2, 3, 80}},          /* the ford: it waits when the game is saved */
    {305, AREA, {0, 50, 56, 6, 12, 16}},          /* to be given again to the game that is loaded */
    {310, PLACE, {2, 0, 10, 56, 0, 0}},
    {320, FOLLOW, {80, 10, 104, 6, 0, 0}},
    {355, GROUP, {20, 30, 60, 16, 0, 0}},
    {365, LEFT, {104, 0, 0, 0, 0, 0}},
    {380, WHY, {70, 0, 0, 0, 0, 0}},
    {400, BUILD, {44, 46, 8, 5, 0, 0}},
    {410, GROUP, {80, 24, 60, 48, 0, 0}},
    {430, GATE, {57, 30, 0, 0, 0, 0}},
    {460, DROP, {3, 5, 80, 40, 12, 8}},
    {505, IN_BOX, {20, 14, 52, 8, 30, 16}},
    {530, BLOW, {44, 12, 8, 4, 0, 0}},            /* again, when nobody is on it */
    {560, HOLD, {116, 20, 0, 0, 0, 0}},
    {600, ERRANDS, {150, 20, 52, 0, 44, 20}},     /* ten of them had errands before */
    {640, HARM, {44, 46, 8, 5, 0, 0}},
    {660, WHY, {80, 0, 0, 0, 0, 0}},
    {690, STOP, {0, 100, 0, 0, 0, 0}},
};

/* Ends the program with the words of a failure. */
static void ok(uint32_t status) {
    char message[1000];
    size_t length = 0;
    if (status == WB_OK) return;
    if (wb_last_error(message, sizeof message, &length) != WB_OK) length = 0;
    fprintf(stderr, "%s: %.*s\n", wb_status_name(status), (int)length, message);
    exit(1);
}

/* The memory, or the end of the program. */
static void *there(void *memory) {
    if (memory == NULL) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* What the game keeps beside the world, and saves with it. */
struct notes {
    uint32_t units[UNITS_MAX]; /* the ids of all units ever placed, in order */
    size_t n_units;
    unsigned events[EVENT_KINDS]; /* so far, by kind */
};

struct game {
    uint64_t world;
    struct notes notes;
    char *text;
    size_t length;
};

/* Adds to the text of the game. */
static void say(struct game *game, const char *format, ...) {
    char line[2000];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    game->text = there(realloc(game->text, game->length + (size_t)length + 1));
    memcpy(game->text + game->length, line, (size_t)length + 1);
    game->length += (size_t)length;
}

/* A file of the folder; the caller frees it. */
static char *read_file(const char *folder, const char *name, size_t *length) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    char *bytes = there(malloc(100000));
    *length = fread(bytes, 1, 100000, file);
    fclose(file);
    return bytes;
}

static wb_spawn spawn_of(uint32_t class_, uint32_t team, int32_t x, int32_t y, uint32_t heading) {
    const wb_spawn spawn = {.size = sizeof spawn, .class_ = class_, .team = team, .pose = {x, y, heading}};
    return spawn;
}

static void begin(struct game *game, const char *folder) {
    uint64_t map, class_, setup;
    size_t length;
    uint32_t number;
    char name[40];
    memset(game, 0, sizeof *game);
    char *bytes = read_file(folder, "river.map", &length);
    ok(wb_map_parse("river.map", 9, (const uint8_t *)bytes, length, &map));
    free(bytes);
    wb_settings settings;
    ok(wb_settings_init(&settings));
    settings.name = "skirmish", settings.name_length = 8;
    settings.seed = 7, settings.expansions_per_tick = 15000;
    ok(wb_setup_new(map, &settings, &setup));
    for (int n = 0; n < 4; n++) {
        snprintf(name, sizeof name, "%s.toml", classes[n]);
        bytes = read_file(folder, name, &length);
        ok(wb_class_parse(name, strlen(name), bytes, length, &class_));
        free(bytes);
        ok(wb_setup_class(setup, class_, &number));
        ok(wb_class_destroy(class_));
    }
    ok(wb_setup_friends(setup, 0, 2));
    ok(wb_world_new(setup, &game->world));
    ok(wb_world_check_invariants(game->world));
    ok(wb_setup_destroy(setup));
    ok(wb_map_destroy(map));
    for (size_t n = 0; n < sizeof formations / sizeof *formations; n++) {
        const struct formation *of = &formations[n];
        for (int k = 0; k < of->count; k++) {
            const int32_t x = of->x + k % of->columns * of->dx, y = of->y + k / of->columns * of->dy;
            const wb_spawn spawn = spawn_of(of->class_, of->team, x, y, of->heading);
            ok(wb_command_spawn(game->world, &spawn, 0, NULL));
        }
    }
}

static uint32_t terrain(const struct game *game, const char *name) {
    uint64_t map;
    uint32_t kind;
    ok(wb_world_map(game->world, &map));
    ok(wb_map_terrain_kind(map, name, strlen(name), &kind));
    ok(wb_map_destroy(map));
    return kind;
}

static wb_order order_of(uint32_t kind) {
    wb_order order;
    ok(wb_order_init(&order, kind));
    return order;
}

/* Gives units an order with one goal, after their orders or in place of them. */
static void order_to(const struct game *game, const int32_t *n, wb_order order, int32_t x, int32_t y, uint32_t heading,
                     uint8_t append) {
    const wb_goal goal = {x, y, heading};
    order.goals = &goal, order.n_goals = 1;
    ok(wb_command_order(game->world, game->notes.units + n[0], (size_t)n[1], &order, 1, append, 0, NULL));
}

static wb_rect rect(const int32_t *n) {
    const wb_rect area = {n[0], n[1], (uint32_t)n[2], (uint32_t)n[3]};
    return area;
}

static wb_change terrain_change(const struct game *game, const int32_t *n, const char *kind) {
    const wb_change change = {.kind = WB_CHANGE_TERRAIN, .area = rect(n), .value = (int32_t)terrain(game, kind)};
    return change;
}

static void ask(struct game *game, enum verb verb, const int32_t *n) {
    const uint64_t world = game->world;
    const uint32_t unit = game->notes.units[n[0]];
    size_t count;
    uint32_t found;
    switch (verb) {
    case WHY: {
        wb_wait_reason why = {.size = sizeof why};
        char text[500];
        if (wb_world_reason_for_waiting(world, unit, &why, text, sizeof text, &count) == WB_OK)
            say(game, "  why %d: %s: %.*s\n", n[0], wb_wait_rule_name(why.rule), (int)count, text);
        else
            say(game, "  why %d: gone\n", n[0]);
        break;
    }
    case LEFT: {
        wb_path_pose poses[500];
        if (wb_world_path(world, unit, poses, 500, &count) == WB_OK)
            say(game, "  left %d: %zu poses, %u ticks\n", n[0], count, poses[count - 1].arrival);
        else
            say(game, "  left %d: gone\n", n[0]);
        break;
    }
    case WHO: {
        const wb_cell cell = {n[0], n[1]};
        ok(wb_world_agent_at(world, &cell, &found));
        if (found == WB_NONE)
            say(game, "  who %d %d: nobody\n", n[0], n[1]);
        else
            say(game, "  who %d %d: %u\n", n[0], n[1], found);
        break;
    }
    case MANY: {
        uint32_t agents[UNITS_MAX];
        const wb_rect area = rect(n);
        ok(wb_world_agents_in(world, &area, agents, UNITS_MAX, &count));
        say(game, "  many %d %d: %zu\n", n[0], n[1], count);
        break;
    }
    case ROOM: {
        const wb_pose pose = {n[1], n[2], (uint32_t)n[3]};
        ok(wb_world_can_place(world, (uint32_t)n[0], &pose, &found));
        say(game, "  room %d: %s\n", n[0], found == WB_NONE ? "yes" : wb_refusal_name(found));
        break;
    }
    case HARM: {
        uint32_t agents[UNITS_MAX];
        const wb_change change = terrain_change(game, n, "water");
        ok(wb_world_would_disturb(world, &change, 1, agents, UNITS_MAX, &count));
        say(game, "  harm %d %d: %zu\n", n[0], n[1], count);
        break;
    }
    case PLAN: {
        uint64_t scratch, path;
        const uint8_t *moves;
        const wb_goal goal = {n[1], n[2], WB_ANY_HEADING};
        wb_answer answer = {.size = sizeof answer};
        ok(wb_scratch_new(&scratch));
        ok(wb_path_new(&path));
        if (wb_world_plan(world, unit, &goal, 1, (uint32_t)n[3], scratch, path, &answer) == WB_OK) {
            ok(wb_path_moves(path, &moves, &count));
            say(game, "  plan %d: %s, %u ticks, %zu moves\n", n[0], wb_plan_result_name(answer.result), answer.cost, count);
        } else {
            say(game, "  plan %d: gone\n", n[0]);
        }
        ok(wb_path_destroy(path));
        ok(wb_scratch_destroy(scratch));
        break;
    }
    default: {
        wb_path_pose reached[2000];
        if (wb_world_reach(world, unit, (uint32_t)n[1], reached, 2000, &count) != WB_OK) count = 0;
        say(game, "  reach %d: %zu poses\n", n[0], count);
    }
    }
}

static void click(struct game *game, enum verb verb, const int32_t *n) {
    const uint64_t world = game->world;
    const uint32_t *units = game->notes.units + n[0];
    const size_t n_units = (size_t)n[1];
    const wb_rect last = rect(n + 2);
    wb_order order = order_of(WB_ORDER_GOTO);
    switch (verb) {
    case GOTO:
        order.within = (uint32_t)n[4];
        order_to(game, n, order, n[2], n[3], WB_ANY_HEADING, 0);
        break;
    case NEAREST:
        order.fallback = WB_FALLBACK_NEAREST;
        order_to(game, n, order, n[2], n[3], WB_ANY_HEADING, 0);
        break;
    case PATIENT:
        order.if_unreachable = WB_UNREACHABLE_WAIT;
        order_to(game, n, order, n[2], n[3], WB_ANY_HEADING, 0);
        break;
    case FACE:
        order.headings = 4;
        order_to(game, n, order, n[2], n[3], (uint32_t)n[4], 0);
        break;
    case GROUP:
        order_to(game, n, order_of(WB_ORDER_GOTO_GROUP), n[2], n[3], WB_ANY_HEADING, 0);
        break;
    case AREA:
        order = order_of(WB_ORDER_GOTO_AREA);
        order.area = last;
        ok(wb_command_order(world, units, n_units, &order, 1, 0, 0, NULL));
        break;
    case PATROL: {
        const wb_goal waypoints[] = {{n[2], n[3], WB_ANY_HEADING}, {n[4], n[5], WB_ANY_HEADING}};
        order = order_of(WB_ORDER_PATROL);
        order.goals = waypoints, order.n_goals = 2;
        ok(wb_command_order(world, units, n_units, &order, 1, 0, 0, NULL));
        break;
    }
    case FOLLOW:
        order = order_of(WB_ORDER_FOLLOW);
        order.leader = game->notes.units[n[2]], order.within = (uint32_t)n[3];
        ok(wb_command_order(world, units, n_units, &order, 1, 0, 0, NULL));
        break;
    case PAUSE: {
        const wb_goal goal = {n[3], n[4], WB_ANY_HEADING};
        wb_order orders[] = {order_of(WB_ORDER_WAIT), order};
        orders[0].ticks = (uint32_t)n[2];
        orders[1].goals = &goal, orders[1].n_goals = 1, orders[1].fallback = WB_FALLBACK_NEAREST;
        ok(wb_command_order(world, units, n_units, orders, 2, 0, 0, NULL));
        break;
    }
    case THEN:
        order.fallback = WB_FALLBACK_NEAREST;
        order_to(game, n, order, n[2], n[3], WB_ANY_HEADING, 1);
        break;
    case STOP:
    case HOLD:
        order = order_of(verb == STOP ? WB_ORDER_STOP : WB_ORDER_HOLD);
        ok(wb_command_order(world, units, n_units, &order, 1, 0, 0, NULL));
        break;
    case IN_BOX: {
        const wb_goal goal = {n[0], n[1], WB_ANY_HEADING};
        order = order_of(WB_ORDER_GOTO_GROUP);
        order.goals = &goal, order.n_goals = 1;
        ok(wb_command_order_in(world, &last, &order, 1, 0, 0, NULL));
        break;
    }
    case SPEED:
        ok(wb_command_speed_factor(world, units, n_units, (uint32_t)n[2], 0, NULL));
        break;
    case PRIORITY:
        ok(wb_command_priority(world, units, n_units, n[2], 0, NULL));
        break;
    case TEAMS:
        ok(wb_command_team(world, units, n_units, (uint32_t)n[2], 0, NULL));
        break;
    case CLASS:
        ok(wb_command_class(world, *units, (uint32_t)n[1], NULL, 0, NULL));
        break;
    case REMOVE:
        ok(wb_command_remove(world, units, n_units, 0, NULL));
        break;
    case SHELL: {
        const wb_rect area = rect(n);
        ok(wb_command_remove_in(world, &area, 0, NULL));
        break;
    }
    case PLACE: {
        const wb_spawn spawn = spawn_of((uint32_t)n[0], (uint32_t)n[1], n[2], n[3], (uint32_t)n[4]);
        ok(wb_command_spawn(world, &spawn, 0, NULL));
        break;
    }
    case DROP: {
        const wb_spawn_group group = {.size = sizeof group, .class_ = (uint32_t)n[0], .count = (uint32_t)n[1], .area = last};
        ok(wb_command_spawn_group(world, &group, 0, NULL));
        break;
    }
    case ERRANDS: {
        const wb_task_source source = {.size = sizeof source, .kind = WB_TASKS_RANDOM, .area = last};
        ok(wb_command_tasks(world, units, n_units, &source, 1, 0, NULL));
        break;
    }
    case BLOW: {
        static const uint32_t on_agents[] = {WB_ON_AGENTS_WAIT, WB_ON_AGENTS_STRAND, WB_ON_AGENTS_REMOVE,
                                             WB_ON_AGENTS_WAIT_STRAND, WB_ON_AGENTS_WAIT_REMOVE};
        const wb_change change = terrain_change(game, n, "water");
        ok(wb_command_edit(world, &change, 1, on_agents[n[4]], (uint32_t)n[5], 0, NULL));
        break;
    }
    case BUILD: {
        const wb_change change = terrain_change(game, n, "ground");
        uint32_t tick;
        ok(wb_world_tick(world, &tick));
        ok(wb_command_edit(world, &change, 1, WB_ON_AGENTS_WAIT, 0, tick + (uint32_t)n[4], NULL));
        break;
    }
    case FERRY: {
        const wb_pose pose = {n[2], n[3], (uint32_t)n[4]};
        uint32_t tick;
        ok(wb_world_tick(world, &tick));
        ok(wb_command_leave(world, *units, &pose, 1, tick + (uint32_t)n[5], NULL));
        ok(wb_command_enter(world, units, 1, game->notes.units[n[1]], 0, NULL));
        break;
    }
    case FALSE_ALARM: {
        const wb_change change = terrain_change(game, n, "water");
        uint64_t edit;
        ok(wb_command_edit(world, &change, 1, WB_ON_AGENTS_WAIT, 0, 0, &edit));
        ok(wb_command_cancel_edit(world, edit, 0, NULL));
        break;
    }
    case GATE: {
        const wb_change change = {.kind = WB_CHANGE_SIDES, .area = {n[0], n[1], 1, 1},
                                  .side_kinds = {WB_KEEP, WB_KEEP, (uint32_t)n[2], WB_KEEP}};
        ok(wb_command_edit(world, &change, 1, WB_ON_AGENTS_WAIT, 0, 0, NULL));
        break;
    }
    default:
        ask(game, verb, n);
    }
}

/* The world as bytes, which the caller frees. */
static uint8_t *save(uint64_t world, size_t *length) {
    if (wb_world_save(world, NULL, 0, length) != WB_BUFFER) ok(WB_ARGUMENT);
    uint8_t *bytes = there(malloc(*length));
    ok(wb_world_save(world, bytes, *length, length));
    return bytes;
}

static void line(struct game *game) {
    const wb_agent_row *rows;
    size_t n_rows, length;
    uint64_t hash;
    uint32_t tick, checksum = 0x811c9dc5; /* FNV-1a of 32 bits */
    wb_counts counts = {.size = sizeof counts};
    int x = 0, y = 0, headings = 0;
    ok(wb_world_agents(game->world, &rows, &n_rows));
    for (size_t n = 0; n < n_rows; n++) x += rows[n].to_x, y += rows[n].to_y, headings += rows[n].to_heading;
    ok(wb_world_tick(game->world, &tick));
    ok(wb_world_hash(game->world, &hash));
    ok(wb_world_counts(game->world, &counts));
    uint8_t *saved = save(game->world, &length);
    for (size_t n = 0; n < length; n++) checksum = (checksum ^ saved[n]) * 0x01000193u;
    free(saved);
    say(game, "tick %u hash %016llx units %zu", tick, (unsigned long long)hash, n_rows);
    say(game, " x %d y %d headings %d moves %llu", x, y, headings, (unsigned long long)counts.moves);
    say(game, " done %llu failed %llu", (unsigned long long)counts.orders_done, (unsigned long long)counts.orders_unreachable);
    say(game, " overlaps %llu events", (unsigned long long)counts.collisions);
    for (int n = 0; n < EVENT_KINDS; n++) say(game, " %u", game->notes.events[n]);
    say(game, " saved %zu %08x\n", length, checksum);
}

/* Plays up to a tick. */
static void run(struct game *game, uint32_t until) {
    for (;;) {
        uint32_t tick, state;
        ok(wb_world_tick(game->world, &tick));
        if (tick == until) return;
        for (size_t n = 0; n < sizeof clicks / sizeof *clicks; n++)
            if (clicks[n].tick == tick) click(game, clicks[n].verb, clicks[n].n);
        ok(wb_world_step(game->world, &state));
        const wb_event_row *events;
        size_t n_events;
        ok(wb_world_events(game->world, &events, &n_events));
        for (size_t n = 0; n < n_events; n++) {
            game->notes.events[events[n].kind]++;
            if (events[n].kind == WB_EVENT_SPAWNED && game->notes.n_units < UNITS_MAX)
                game->notes.units[game->notes.n_units++] = events[n].agent;
        }
        if ((tick + 1) % LINE_EVERY == 0) line(game);
    }
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: skirmish FOLDER\n", stderr);
        return 2;
    }
    struct game game, again;
    size_t length;
    uint64_t hash;
    begin(&game, argv[1]);
    run(&game, SAVED_AT);
    /* The saved game is loaded into a second world. It gets the same clicks, and goes the same way. */
    uint8_t *saved = save(game.world, &length);
    memset(&again, 0, sizeof again);
    again.notes = game.notes;
    ok(wb_world_load(saved, length, 0, &again.world));
    free(saved);
    ok(wb_world_check_invariants(again.world));
    const size_t before = game.length;
    run(&game, LOADED_UNTIL);
    run(&again, LOADED_UNTIL);
    if (again.length != game.length - before || memcmp(again.text, game.text + before, again.length) != 0) {
        fprintf(stderr, "the loaded game goes another way:\n%s", again.text);
        return 1;
    }
    ok(wb_world_hash(again.world, &hash));
    say(&game, "loaded at %d: hash %016llx\n", SAVED_AT, (unsigned long long)hash);
    /* What that one saves goes on in the place of the first. */
    saved = save(again.world, &length);
    ok(wb_world_restore(game.world, saved, length));
    free(saved);
    ok(wb_world_check_invariants(game.world));
    run(&game, TICKS);
    fputs(game.text, stdout);
    ok(wb_world_destroy(again.world));
    ok(wb_world_destroy(game.world));
    free(again.text);
    free(game.text);
    return 0;
}
