/* Random calls, right and wrong, from several threads at once: random_calls CALLS SEED THREADS. Nothing panics, nothing is
 * written where it may not be, every failure has its words. */
#include <pthread.h>
#include <stdatomic.h>
#include "check.h"

enum { MAP, CLASS, TABLES, SCRATCH, PATH, FIELD, QUEUE, WORLD, KINDS, EACH = 4, BUFFER = 64, GUARD = 0x5a };

/* Handles that live, and some that no longer do. */
static _Atomic uint64_t handles[KINDS][EACH];
static atomic_ulong by_status[16];

typedef struct {
    uint64_t random;
    uint64_t calls;
    int alone;
} worker;

static uint32_t below(worker *w, uint32_t n) { return (uint32_t)(next_random(&w->random) % n); }
static int one_in(worker *w, uint32_t n) { return below(w, n) == 0; }

static uint64_t handle(worker *w, int kind) {
    uint64_t found = handles[kind][below(w, EACH)];
    switch (below(w, 40)) {
    case 0: return 0;
    case 1: return next_random(&w->random);
    case 2: return found ^ (1ull << below(w, 64));
    case 3: return handles[below(w, KINDS)][below(w, EACH)];
    default: return found;
    }
}

static int32_t number(worker *w) {
    static const int32_t far_off[] = {INT32_MIN, INT32_MAX, -1, 1 << 26, -(1 << 26), 1000};
    return one_in(w, 12) ? far_off[below(w, 6)] : (int32_t)below(w, 14);
}

static uint32_t small(worker *w, uint32_t n) { return one_in(w, 15) ? (uint32_t)next_random(&w->random) : below(w, n); }

static wb_pose pose(worker *w) {
    wb_pose found = {number(w), number(w), small(w, 4)};
    if (one_in(w, 10)) found.heading = WB_ANY_HEADING;
    return found;
}

static wb_rect rect(worker *w) {
    wb_rect found = {number(w), number(w), small(w, 6), small(w, 6)};
    return found;
}

/* A pointer, sometimes null. */
#define P(pointer) (one_in(w, 30) ? NULL : (pointer))
#define SIZED(type, name)              \
    type name;                         \
    memset(&name, 0, sizeof name);     \
    name.size = one_in(w, 25) ? below(w, 2 * sizeof name) : sizeof name

static wb_request request(worker *w, wb_goal *goals, uint64_t *bits) {
    wb_request found;
    OK(wb_request_init(&found));
    if (one_in(w, 30)) found.size = below(w, 300);
    found.start = pose(w);
    found.within = one_in(w, 6) ? small(w, 4) : 0;
    found.heuristic = one_in(w, 3) ? small(w, 8) : 0;
    found.weight_permille = one_in(w, 5) ? 990 + small(w, 3000) : 1000;
    found.fallback = small(w, 2);
    found.partial = below(w, 2);
    found.expansions_max = one_in(w, 4) ? small(w, 50) : 0;
    if (one_in(w, 5)) found.window = rect(w);
    found.n_goals = below(w, 4);
    for (size_t n = 0; n < found.n_goals; n++) goals[n] = pose(w);
    found.goals = P(goals);
    if (one_in(w, 4)) {
        for (int n = 0; n < 12; n++) bits[n] = next_random(&w->random) & next_random(&w->random);
        found.obstacles = P(bits);
        found.n_obstacles = one_in(w, 8) ? below(w, 12) : 10;
    }
    return found;
}

/* Puts a new handle where an old one is, which is destroyed. */
static uint32_t keep(worker *w, int kind, uint32_t status, const uint64_t *written) {
    uint64_t made = *written;
    CHECK(status == WB_OK || made == 0 || made == 77);
    if (status != WB_OK) return status;
    CHECK(made != 0 && made != 77);
    uint64_t old = atomic_exchange(&handles[kind][below(w, EACH)], made);
    uint32_t (*const destroy[KINDS])(uint64_t) = {wb_map_destroy,  wb_class_destroy, wb_tables_destroy, wb_scratch_destroy,
                                                  wb_path_destroy, wb_field_destroy, wb_queue_destroy,  wb_world_destroy};
    uint32_t destroyed = destroy[kind](old);
    /* An object that is in use is destroyed later. */
    while (destroyed == WB_BUSY) destroyed = destroy[kind](old);
    CHECK(destroyed == WB_OK || destroyed == WB_DESTROYED);
    return status;
}

static const char scene[] =
    "name = \"x\"\nticks = 0\n[map]\nrows = [\"..........\", \"..........\", \"...WW.....\", \"..........\", \"..........\"]\n"
    "[class.cart]\nheadings = 4\nmoves = [{ name = \"forward\", by = [1, 0], time = 3 }, { name = \"left\", turn = 1, time = 3 }]\n"
    "[[agents]]\nclass = \"cart\"\nat = [1, 1, \"E\"]\norders = [{ goto = [8, 3] }]\n"
    "[[agents]]\nclass = \"cart\"\nat = [8, 1, \"W\"]\norders = [{ goto = [1, 3] }]\n";

static uint32_t call(worker *w) {
    uint64_t made = 77, bits[12];
    wb_goal goals[4];
    wb_pose at = pose(w), after;
    wb_cell cell = {number(w), number(w)}, other = {number(w), number(w)};
    wb_rect area = rect(w);
    uint32_t number32 = 0;
    uint8_t byte = 0;
    size_t count = 0, capacity = one_in(w, 3) ? 0 : below(w, BUFFER);
    unsigned char buffer[BUFFER * sizeof(wb_path_pose) + 8];
    memset(buffer, GUARD, sizeof buffer);
    uint32_t status;
    size_t unit = 1;
    switch (below(w, 62)) {
    case 0: return keep(w, MAP, wb_map_new(small(w, 14), small(w, 14), small(w, 2), small(w, 5), P(&made)), &made);
    case 1: {
        char rows[64];
        for (int n = 0; n < 60; n++) rows[n] = n % 12 == 11 ? '\n' : one_in(w, 200) ? '?' : "....SWT@"[below(w, 8)];
        return keep(w, MAP, wb_map_from_rows(P(rows), one_in(w, 9) ? below(w, 60) : 60, P(&made)), &made);
    }
    case 2: {
        const char *file = one_in(w, 2) ? scene : "type octile\nheight 2\nwidth 5\nmap\n..T..\n..@W.\n";
        size_t length = one_in(w, 4) ? below(w, (uint32_t)strlen(file)) : strlen(file);
        const char *name = file == scene ? "a.toml" : "a.map";
        return keep(w, MAP, wb_map_parse(name, strlen(name), P((const uint8_t *)file), length, P(&made)), &made);
    }
    case 3: {
        uint8_t cells[144];
        for (int n = 0; n < 144; n++) cells[n] = (uint8_t)(one_in(w, 999) ? 200 : below(w, 7));
        SIZED(wb_terrain, mud);
        mud.speed = small(w, 2000), mud.name = "mud", mud.name_length = 3, mud.characters = "m", mud.characters_length = 1;
        uint32_t width = below(w, 13), height = below(w, 13);
        return keep(w, MAP, wb_map_from_cells(width, height, small(w, 2), P(cells), one_in(w, 9) ? 3 : width * height, &mud, below(w, 2), P(&made)), &made);
    }
    case 4: return keep(w, MAP, wb_map_clone(handle(w, MAP), P(&made)), &made);
    case 5: {
        SIZED(wb_map_info, info);
        return wb_map_describe(handle(w, MAP), P(&info));
    }
    case 6: {
        const uint8_t *cells = NULL;
        status = wb_map_terrain(handle(w, MAP), P(&cells), P(&count));
        if (status == WB_OK && w->alone)
            for (size_t n = 0; n < count; n++) CHECK(cells[n] < 8);
        return status;
    }
    case 7: return wb_map_terrain_kind(handle(w, MAP), P("water"), below(w, 6), P(&number32));
    case 8: status = wb_map_terrain_name(handle(w, MAP), small(w, 6), P((char *)buffer), capacity, P(&count)); break;
    case 9: case 10: {
        wb_change changes[3];
        size_t n_changes = below(w, 4);
        for (size_t n = 0; n < 3; n++) {
            wb_change change = {small(w, 4), rect(w), one_in(w, 9) ? number(w) : (int32_t)below(w, 5), {0}};
            for (int side = 0; side < 6; side++) change.side_kinds[side] = one_in(w, 9) ? small(w, 9) : one_in(w, 2) ? WB_KEEP : below(w, 2);
            changes[n] = change;
        }
        return wb_map_edit(handle(w, MAP), P(changes), n_changes, P(&area));
    }
    case 11: case 12: {
        wb_class_spec spec;
        OK(wb_class_spec_init(&spec));
        if (one_in(w, 25)) spec.size = below(w, 400);
        static const uint32_t counts[] = {1, 4, 8, 6, 3};
        spec.headings = counts[below(w, one_in(w, 5) ? 5 : 2)];
        spec.shape = spec.headings == 6 ? WB_SHAPE_HEX : one_in(w, 12) ? small(w, 2) : 0;
        wb_cell body[3];
        for (int n = 0; n < 3; n++) body[n] = (wb_cell){one_in(w, 20) ? number(w) : n, one_in(w, 20) ? number(w) : 0};
        spec.name = P("any"), spec.name_length = below(w, 4);
        spec.footprint = P(body), spec.n_footprint = below(w, 4);
        spec.sweep_moves = small(w, 2), spec.sweep_turns = small(w, 2);
        spec.max_up = one_in(w, 4) ? small(w, 3) : WB_NONE, spec.climb_up = one_in(w, 4) ? small(w, 500) : 0;
        spec.climb_down = one_in(w, 9) ? number(w) : 0, spec.max_tilt = one_in(w, 9) ? small(w, 3) : WB_NONE;
        spec.pivot_forward = one_in(w, 9) ? number(w) : 0, spec.pivot_right = one_in(w, 9) ? number(w) : 0;
        wb_primitive moves[4];
        memset(moves, 0, sizeof moves);
        static const char names[] = "abcd";
        for (int n = 0; n < 4; n++) {
            moves[n].size = one_in(w, 60) ? below(w, 99) : sizeof moves[0];
            moves[n].forward = n == 0 ? 1 : n == 1 ? -1 : 0, moves[n].right = one_in(w, 20) ? number(w) : 0;
            moves[n].turn = spec.headings == 1 || n < 2 ? 0 : n == 2 ? 1 : -1;
            if (spec.headings == 1 && n > 1) moves[n].right = n == 2 ? 1 : -1;
            moves[n].time = small(w, 20) + 1;
            moves[n].name = names + n, moves[n].name_length = 1;
        }
        spec.primitives = P(moves), spec.n_primitives = one_in(w, 10) ? below(w, 5) : 4;
        return keep(w, CLASS, wb_class_new(P(&spec), P(&made)), &made);
    }
    case 13: {
        size_t length = one_in(w, 5) ? below(w, sizeof lorry_text) : sizeof lorry_text - 1;
        return keep(w, CLASS, wb_class_parse("c.toml", 6, P(lorry_text), length, P(&made)), &made);
    }
    case 14: return keep(w, CLASS, wb_class_parse("s.toml#cart", one_in(w, 5) ? 9 : 11, P(scene), sizeof scene - 1, P(&made)), &made);
    case 15: return keep(w, CLASS, wb_class_clone(handle(w, CLASS), P(&made)), &made);
    case 16: {
        SIZED(wb_class_info, info);
        return wb_class_describe(handle(w, CLASS), P(&info));
    }
    case 17: status = wb_class_primitive_name(handle(w, CLASS), small(w, 5), P((char *)buffer), capacity, P(&count)); break;
    case 18: status = wb_class_cells(handle(w, CLASS), P(&at), P((wb_cell *)buffer), capacity, P(&count)), unit = sizeof(wb_cell); break;
    case 19: case 20: case 21: return keep(w, TABLES, wb_tables_new(handle(w, MAP), handle(w, CLASS), P(&made)), &made);
    case 22: {
        uint64_t kept, peak;
        return wb_tables_need(handle(w, MAP), handle(w, CLASS), P(&kept), P(&peak));
    }
    case 23: return keep(w, TABLES, wb_tables_clone(handle(w, TABLES), P(&made)), &made);
    case 24: case 25: return wb_tables_update(handle(w, TABLES), handle(w, MAP), P(&area), P(&number32));
    case 26: return wb_tables_make_components(handle(w, TABLES));
    case 27: status = wb_tables_is_legal(handle(w, TABLES), P(&at), P(&byte)); CHECK(byte < 2); return status;
    case 28: return wb_tables_connected(handle(w, TABLES), P(&cell), P(&other), P(&number32));
    case 29: return wb_tables_move(handle(w, TABLES), P(&at), small(w, 5), P(&after), P(&number32));
    case 30: {
        uint8_t moves[20];
        wb_path_pose end;
        for (int n = 0; n < 20; n++) moves[n] = (uint8_t)(one_in(w, 9) ? 255 : below(w, 4));
        status = wb_tables_check_moves(handle(w, TABLES), P(&at), P(moves), below(w, 20), P(&end), P(&count));
        CHECK(count < 20);
        return status;
    }
    case 31: return wb_tables_memory(handle(w, TABLES), P(&made));
    case 32: status = wb_explain_move(handle(w, MAP), handle(w, CLASS), P(&at), small(w, 5), P((char *)buffer), capacity, P(&count)); break;
    case 33: status = wb_explain_pose(handle(w, MAP), handle(w, CLASS), P(&at), P((char *)buffer), capacity, P(&count)); break;
    case 34: return keep(w, SCRATCH, wb_scratch_new(P(&made)), &made);
    case 35: return keep(w, PATH, wb_path_new(P(&made)), &made);
    case 36: case 37: case 38: case 39: {
        wb_request asked = request(w, goals, bits);
        SIZED(wb_answer, answer);
        return wb_plan(handle(w, TABLES), P(&asked), handle(w, SCRATCH), handle(w, PATH), P(&answer));
    }
    case 40: {
        wb_request asked = request(w, goals, bits);
        return wb_plan_begin(handle(w, TABLES), P(&asked), handle(w, SCRATCH), P(&byte));
    }
    case 41: case 42: return wb_plan_advance(handle(w, TABLES), handle(w, SCRATCH), small(w, 30), P(&byte));
    case 43: {
        SIZED(wb_answer, answer);
        return wb_plan_finish(handle(w, TABLES), handle(w, SCRATCH), handle(w, PATH), P(&answer));
    }
    case 44: {
        wb_request asked = request(w, goals, bits);
        SIZED(wb_answer, answer);
        answer.result = small(w, 9);
        status = wb_plan_explain(handle(w, MAP), handle(w, TABLES), P(&asked), P(&answer), P((char *)buffer), capacity, P(&count));
        break;
    }
    case 45: {
        wb_request asked[5];
        wb_answer answers[5];
        size_t offsets[6];
        for (int n = 0; n < 5; n++) asked[n] = request(w, goals, bits), answers[n].size = sizeof answers[n];
        if (one_in(w, 9)) answers[0].size = below(w, 99);
        uint8_t moves[BUFFER];
        int whole = one_in(w, 3);
        status = wb_plan_batch(handle(w, TABLES), P(asked), below(w, 6), one_in(w, 60) ? small(w, 3) : 1, one_in(w, 3) ? 0 : handle(w, SCRATCH), P(answers),
                               whole ? NULL : (wb_path_pose *)buffer, one_in(w, 2) ? NULL : moves, capacity, P(offsets));
        for (size_t n = capacity * sizeof(wb_path_pose); n < sizeof buffer; n++) CHECK(buffer[n] == GUARD);
        return status;
    }
    case 46: {
        const wb_path_pose *poses = NULL;
        const uint8_t *moves = NULL;
        size_t n_moves = 0;
        uint64_t path = handle(w, PATH);
        status = wb_path_poses(path, P(&poses), P(&count));
        if (status != WB_OK || !w->alone) return status;
        OK(wb_path_moves(path, &moves, &n_moves));
        CHECK(count == 0 ? n_moves == 0 : n_moves == count - 1);
        for (size_t n = 0; n < n_moves; n++) CHECK(poses[n].arrival < poses[n + 1].arrival && moves[n] < 16);
        return status;
    }
    case 47: {
        size_t n_goals = below(w, 4);
        for (int n = 0; n < 4; n++) goals[n] = pose(w);
        return keep(w, FIELD, wb_field_to_goal(handle(w, TABLES), P(goals), n_goals, below(w, 3), P(&made)), &made);
    }
    case 48: return keep(w, FIELD, wb_field_from_pose(handle(w, TABLES), P(&at), P(&made)), &made);
    case 49: return wb_field_settle(handle(w, FIELD), handle(w, TABLES), small(w, 60), P(&byte));
    case 50: return wb_field_repair(handle(w, FIELD), handle(w, TABLES), P(&area));
    case 51: return wb_field_cost(handle(w, FIELD), handle(w, TABLES), P(&at), P(&number32));
    case 52:
        status = wb_field_within(handle(w, FIELD), handle(w, TABLES), small(w, 60), P((wb_path_pose *)buffer), capacity, P(&count));
        unit = sizeof(wb_path_pose);
        break;
    case 53: return wb_field_path(handle(w, FIELD), handle(w, TABLES), P(&at), handle(w, PATH), P(&byte));
    case 54: return wb_field_next(handle(w, FIELD), handle(w, TABLES), P(&at), P(&number32), P(&after));
    case 55: return keep(w, QUEUE, wb_queue_new(small(w, 14), small(w, 14), one_in(w, 9) ? small(w, 3) : 1, one_in(w, 20) ? 0 : 1 + below(w, 5), P(&made)), &made);
    case 56: {
        wb_request asked = request(w, goals, bits);
        return wb_queue_submit(handle(w, QUEUE), small(w, 2), P(&asked), number(w), P(&made));
    }
    case 57: {
        uint64_t queue = handle(w, QUEUE), tables[2] = {handle(w, TABLES), handle(w, TABLES)};
        size_t jobs = 0, answers = 0;
        if (one_in(w, 3)) return wb_queue_advance(queue, P(tables), below(w, 2), small(w, 300), P(&answers));
        status = wb_queue_begin(queue, P(tables), 1, small(w, 300), P(&jobs));
        while (status == WB_OK && jobs > 0 && w->alone && !one_in(w, 20)) {
            for (size_t job = 0; job < jobs; job++) OK(wb_queue_run(queue, job));
            status = wb_queue_end(queue, &jobs, &answers);
        }
        return status;
    }
    case 58: return one_in(w, 2) ? wb_queue_run(handle(w, QUEUE), below(w, 6)) : wb_queue_cancel(handle(w, QUEUE), below(w, 50));
    case 59: {
        SIZED(wb_answer, answer);
        const wb_path_pose *poses = NULL;
        const uint8_t *moves = NULL;
        if (one_in(w, 3)) {
            size_t jobs;
            return wb_queue_end(handle(w, QUEUE), P(&jobs), P(&count));
        }
        status = wb_queue_answer(handle(w, QUEUE), below(w, 4), P(&made), P(&answer), &poses, &moves, P(&count));
        if (status == WB_OK && w->alone)
            for (size_t n = 0; n + 1 < count; n++) CHECK(poses[n].arrival < poses[n + 1].arrival && moves[n] < 16);
        return status;
    }
    case 60: {
        size_t length = one_in(w, 5) ? below(w, sizeof scene) : sizeof scene - 1;
        if (!one_in(w, 8)) return wb_world_step(handle(w, WORLD), P(&number32));
        return keep(w, WORLD, wb_world_parse("s.toml", 6, P((const uint8_t *)scene), length, NULL, 0, one_in(w, 9) ? 2 : 1, P(&made)), &made);
    }
    default: {
        const wb_agent_row *rows = NULL;
        if (one_in(w, 2)) return keep(w, WORLD, wb_world_clone(handle(w, WORLD), P(&made)), &made);
        if (one_in(w, 2)) return wb_world_hash(handle(w, WORLD), P(&made));
        status = wb_world_agents(handle(w, WORLD), P(&rows), P(&count));
        if (status == WB_OK && w->alone)
            for (size_t n = 0; n < count; n++) CHECK(rows[n].to_x >= 0 && rows[n].to_x < 10);
        return status;
    }
    }
    /* Behind what was written there is nothing new. */
    size_t written = status == WB_OK ? count * unit : 0;
    CHECK(written <= capacity * unit);
    for (size_t n = written; n < sizeof buffer; n++) CHECK(buffer[n] == GUARD);
    return status;
}

static void *work(void *argument) {
    worker *w = argument;
    for (uint64_t n = 0; n < w->calls; n++) {
        uint32_t status = call(w);
        CHECK(status <= WB_PANIC && status != WB_PANIC && status != WB_BROKEN);
        CHECK(status == WB_OK || strncmp(said(), "wb_", 3) == 0);
        CHECK(w->alone == 0 || status != WB_BUSY || strstr(said(), "a frame of this queue"));
        by_status[status]++;
    }
    return NULL;
}

int main(int n_arguments, char **arguments) {
    uint64_t calls = n_arguments > 1 ? strtoull(arguments[1], NULL, 10) : 100000;
    uint64_t seed = n_arguments > 2 ? strtoull(arguments[2], NULL, 10) : 1;
    size_t threads = n_arguments > 3 ? strtoull(arguments[3], NULL, 10) : 1;
    CHECK(threads >= 1 && threads <= 64);
    for (int n = 0; n < EACH; n++) {
        uint64_t made;
        handles[MAP][n] = map_of("............\n....W.......\n...WWW......\n............\n............\n......T.....\n............\n"
                                 "............\n............\n............\n");
        handles[CLASS][n] = lorry_class();
        OK(wb_tables_new(handles[MAP][n], handles[CLASS][n], &made));
        handles[TABLES][n] = made;
    }
    worker workers[64];
    pthread_t running[64];
    for (size_t n = 0; n < threads; n++) {
        workers[n] = (worker){seed * 1000 + n, calls / threads, threads == 1};
        CHECK(pthread_create(&running[n], NULL, work, &workers[n]) == 0);
    }
    for (size_t n = 0; n < threads; n++) CHECK(pthread_join(running[n], NULL) == 0);
    /* All that lives is destroyed, so that a leak is one of the library. */
    for (int kind = 0; kind < KINDS; kind++)
        for (int n = 0; n < EACH; n++) {
            uint32_t (*const destroy[KINDS])(uint64_t) = {wb_map_destroy,  wb_class_destroy, wb_tables_destroy, wb_scratch_destroy,
                                                          wb_path_destroy, wb_field_destroy, wb_queue_destroy,  wb_world_destroy};
            OK(destroy[kind](handles[kind][n]));
        }
    printf("random calls: seed %llu, %zu threads:", (unsigned long long)seed, threads);
    for (uint32_t status = 0; status <= WB_PANIC; status++) printf(" %s %lu", wb_status_name(status), by_status[status]);
    puts("");
    return 0;
}
