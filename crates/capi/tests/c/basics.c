/* Every function for maps, classes, tables, plans, fields and queues once, with right and wrong arguments. */
#include "check.h"

static const char lake[] = ".........\n.........\n....WW...\n.........\n.........\n.........\n";

static int says(const char *part) { return strstr(said(), part) != NULL; }

static void maps(void) {
    uint64_t map = 7, copy = 0;
    CHECK(wb_map_new(0, 5, WB_SHAPE_SQUARE, 0, &map) == WB_ARGUMENT && map == 0);
    CHECK(wb_map_new(4, 5, 2, 0, &map) == WB_ARGUMENT && says("WB_SHAPE_SQUARE"));
    CHECK(wb_map_new(4, 5, WB_SHAPE_HEX, 5, &map) == WB_ARGUMENT && says("expected less than 5"));
    CHECK(wb_map_new(4, 5, WB_SHAPE_HEX, 0, NULL) == WB_POINTER && says("wb_map_new: `map` is null"));
    OK(wb_map_new(4, 5, WB_SHAPE_HEX, 0, &map));
    wb_map_info info = {.size = sizeof info};
    OK(wb_map_describe(map, &info));
    CHECK(info.width == 4 && info.height == 5 && info.shape == WB_SHAPE_HEX && info.terrain_kinds == 5);
    CHECK(info.side_kinds == 2 && info.revision == 0 && !info.has_elevation);
    info.size = 3;
    CHECK(wb_map_describe(map, &info) == WB_SIZE && says("set it to sizeof(wb_map_info)"));
    OK(wb_map_destroy(map));
    CHECK(wb_map_describe(map, &info) == WB_DESTROYED && wb_map_destroy(map) == WB_DESTROYED);
    OK(wb_map_destroy(0));

    CHECK(wb_map_from_rows("..\n.", 4, &map) == WB_TEXT && says("rows:2: "));
    CHECK(wb_map_from_rows("..\n.?", 5, &map) == WB_TEXT && says("rows:2:2: "));
    map = map_of(lake);
    const uint8_t *cells = NULL;
    size_t count = 0;
    uint32_t kind = 0;
    OK(wb_map_terrain(map, &cells, &count));
    OK(wb_map_terrain_kind(map, "water", 5, &kind));
    CHECK(count == 54 && cells[2 * 9 + 4] == kind && cells[0] == 0);
    CHECK(wb_map_terrain_kind(map, "lava", 4, &kind) == WB_NOT_FOUND && says("ground, swamp, water"));
    char name[8];
    CHECK(wb_map_terrain_name(map, kind, NULL, 0, &count) == WB_BUFFER && count == 5);
    OK(wb_map_terrain_name(map, kind, name, sizeof name, &count));
    CHECK(count == 5 && memcmp(name, "water", 5) == 0);

    OK(wb_map_clone(map, &copy));
    wb_change changes[2] = {{WB_CHANGE_TERRAIN, {-1, -1, 3, 3}, 3, {0}}, {WB_CHANGE_TERRAIN, {5, 5, 1, 1}, 9, {0}}};
    wb_rect changed;
    CHECK(wb_map_edit(copy, changes, 2, &changed) == WB_ARGUMENT && says("changes[1]: terrain kind 9"));
    OK(wb_map_terrain(copy, &cells, &count));
    CHECK(cells[0] == 0);
    OK(wb_map_edit(copy, changes, 1, &changed));
    CHECK(changed.x == 0 && changed.y == 0 && changed.width == 2 && changed.height == 2);
    OK(wb_map_terrain(map, &cells, &count));
    CHECK(cells[0] == 0);
    OK(wb_map_terrain(copy, &cells, &count));
    CHECK(cells[0] == 3);
    OK(wb_map_destroy(copy));

    const char *typed = "name = \"x\"\nticks = 1\n[map]\nrows = [\"..\", \".?\"]\n";
    CHECK(wb_map_parse("maps/x.toml", 11, (const uint8_t *)typed, strlen(typed), &copy) == WB_TEXT);
    CHECK(says("maps/x.toml:4:"));
    CHECK(wb_map_open("no/such.map", 11, &copy) == WB_TEXT && says("no/such.map"));
    const char *file = "type octile\nheight 1\nwidth 3\nmap\n.T.\n";
    OK(wb_map_parse("three.map", 9, (const uint8_t *)file, strlen(file), &copy));
    OK(wb_map_destroy(copy));

    const uint8_t mud[4] = {0, 1, 0, 2};
    wb_terrain kinds[2] = {{.size = sizeof kinds[0], .speed = 400, .name = "mud", .name_length = 3, .characters = "m", .characters_length = 1},
                           {.size = sizeof kinds[0], .speed = 0, .name = "lava", .name_length = 4, .characters = "l", .characters_length = 1}};
    OK(wb_map_from_cells(2, 2, WB_SHAPE_SQUARE, mud, 4, kinds, 2, &copy));
    OK(wb_map_terrain_kind(copy, "lava", 4, &kind));
    CHECK(kind == 1);
    OK(wb_map_destroy(copy));
    kinds[1].name = "mud", kinds[1].name_length = 3;
    CHECK(wb_map_from_cells(2, 2, WB_SHAPE_SQUARE, mud, 4, kinds, 2, &copy) == WB_ARGUMENT && says("mud"));
    CHECK(wb_map_from_cells(2, 2, WB_SHAPE_SQUARE, mud, 3, kinds, 1, &copy) == WB_ARGUMENT && says("expected 4"));
    OK(wb_map_destroy(map));
}

static void classes(void) {
    uint64_t parsed = lorry_class(), built = 0, copy = 0;
    const wb_cell body[2] = {{0, 0}, {-1, 0}};
    wb_primitive moves[2] = {{.size = sizeof moves[0], .forward = 1, .time = 10, .name = "forward", .name_length = 7},
                             {.size = sizeof moves[0], .turn = 1, .time = 10, .name = "left", .name_length = 4}};
    const wb_speed swims = {.name = "water", .name_length = 5, .speed = 250};
    wb_class_spec spec;
    OK(wb_class_spec_init(&spec));
    spec.name = "boat", spec.name_length = 4;
    spec.footprint = body, spec.n_footprint = 2;
    spec.primitives = moves, spec.n_primitives = 2;
    spec.speeds = &swims, spec.n_speeds = 1;
    OK(wb_class_new(&spec, &built));
    wb_class_info info = {.size = sizeof info};
    OK(wb_class_describe(built, &info));
    CHECK(info.headings == 4 && info.footprint_cells == 2 && info.primitives == 2 && info.width == 2 && info.height == 1);
    char text[20];
    size_t count = 0;
    OK(wb_class_name(built, text, sizeof text, &count));
    CHECK(count == 4 && memcmp(text, "boat", 4) == 0);
    OK(wb_class_primitive_name(built, 1, text, sizeof text, &count));
    CHECK(count == 4 && memcmp(text, "left", 4) == 0);
    CHECK(wb_class_primitive_name(built, 2, text, sizeof text, &count) == WB_NOT_FOUND);
    wb_cell cells[2];
    wb_pose north = {5, 5, 1}, wrong = {5, 5, 4};
    OK(wb_class_cells(built, &north, cells, 2, &count));
    CHECK(count == 2 && cells[0].x == 5 && cells[0].y == 5 && cells[1].x == 5 && cells[1].y == 6);
    CHECK(wb_class_cells(built, &wrong, cells, 2, &count) == WB_ARGUMENT && says("expected less than 4"));
    CHECK(wb_class_cells(built, &north, cells, 1, &count) == WB_BUFFER && count == 2);
    spec.headings = 3;
    CHECK(wb_class_new(&spec, &copy) == WB_ARGUMENT && says("expected 1, 4 or 8"));
    spec.headings = 4, moves[1].size = 1;
    CHECK(wb_class_new(&spec, &copy) == WB_SIZE && says("spec.primitives[1]"));
    CHECK(wb_class_parse("c.toml", 6, "[class.a]\nheadings = 5", 22, &copy) == WB_TEXT && says("c.toml:2:12:"));
    OK(wb_class_clone(parsed, &copy));
    OK(wb_class_destroy(copy));
    OK(wb_class_destroy(built));
    OK(wb_class_destroy(parsed));
}

static void tables_and_plans(void) {
    uint64_t map = map_of(lake), class_ = lorry_class(), tables = 0, copy = 0, scratch = 0, path = 0;
    OK(wb_tables_new(map, class_, &tables));
    CHECK(wb_tables_new(class_, map, &copy) == WB_WRONG_KIND && says("a handle of kind class, expected map"));
    uint64_t kept = 0, peak = 0, bytes = 0;
    OK(wb_tables_need(map, class_, &kept, &peak));
    OK(wb_tables_memory(tables, &bytes));
    CHECK(kept > 0 && peak >= kept && bytes > 0);
    wb_pose start = {1, 1, 0}, wet = {4, 2, 0}, after;
    uint8_t legal = 9;
    OK(wb_tables_is_legal(tables, &start, &legal));
    CHECK(legal == 1);
    OK(wb_tables_is_legal(tables, &wet, &legal));
    CHECK(legal == 0);
    uint32_t ticks = 0, answer_of_cells = 9;
    OK(wb_tables_move(tables, &start, 0, &after, &ticks));
    CHECK(ticks == 10 && after.x == 2 && after.y == 1 && after.heading == 0);
    wb_pose west = {2, 2, 0};
    OK(wb_tables_move(tables, &west, 0, &after, &ticks));
    OK(wb_tables_move(tables, &after, 0, &after, &ticks));
    CHECK(ticks == 0 && after.x == 3);
    CHECK(wb_tables_move(tables, &west, 4, &after, &ticks) == WB_ARGUMENT);
    char words[200];
    size_t count = 0;
    OK(wb_explain_move(map, class_, &after, 0, words, sizeof words, &count));
    CHECK(count > 0 && count < sizeof words && (words[count] = 0, strstr(words, "water") != NULL));
    OK(wb_explain_move(map, class_, &start, 0, words, sizeof words, &count));
    CHECK(count == 0);
    OK(wb_explain_pose(map, class_, &wet, words, sizeof words, &count));
    CHECK(count > 0);

    wb_cell here = {1, 1}, there = {7, 4};
    OK(wb_tables_connected(tables, &here, &there, &answer_of_cells));
    CHECK(answer_of_cells == WB_CONNECTED_UNKNOWN);
    OK(wb_tables_make_components(tables));
    OK(wb_tables_connected(tables, &here, &there, &answer_of_cells));
    CHECK(answer_of_cells == WB_CONNECTED_YES);

    OK(wb_scratch_new(&scratch));
    OK(wb_path_new(&path));
    wb_goal goal = {7, 1, WB_ANY_HEADING};
    wb_request request = request_to(start, &goal);
    wb_answer answer = {.size = sizeof answer};
    OK(wb_plan(tables, &request, scratch, path, &answer));
    CHECK(answer.result == WB_PLAN_FOUND && answer.cost == 60 && answer.moves == 6 && answer.end.x == 7);
    CHECK(answer.reached == WB_REACHED_GOAL && strcmp(wb_plan_result_name(answer.result), "found") == 0);
    const wb_path_pose *poses = NULL;
    const uint8_t *moves = NULL;
    size_t n_moves = 0, n_legal = 0;
    OK(wb_path_poses(path, &poses, &count));
    OK(wb_path_moves(path, &moves, &n_moves));
    CHECK(count == 7 && n_moves == 6 && poses[6].arrival == 60 && poses[6].pose.x == 7 && moves[0] == 0);
    wb_path_pose end;
    OK(wb_tables_check_moves(tables, &start, moves, n_moves, &end, &n_legal));
    CHECK(n_legal == 6 && end.arrival == 60);
    OK(wb_plan(tables, &request, scratch, 0, &answer));
    CHECK(answer.cost == 60 && answer.moves == 6);

    /* In slices; an edit meanwhile ends the search. */
    uint8_t done = 9;
    int slices = 0;
    CHECK(wb_plan_advance(tables, scratch, 1, &done) == WB_ARGUMENT && says("wb_plan_begin"));
    OK(wb_plan_begin(tables, &request, scratch, &done));
    for (; !done; slices++) OK(wb_plan_advance(tables, scratch, 2, &done));
    OK(wb_plan_finish(tables, scratch, path, &answer));
    CHECK(slices > 2 && answer.cost == 60);
    OK(wb_plan_begin(tables, &request, scratch, &done));
    const wb_change building = {WB_CHANGE_TERRAIN, {4, 0, 2, 2}, 3, {0}};
    wb_rect changed;
    uint32_t effect = 9;
    OK(wb_map_edit(map, &building, 1, &changed));
    OK(wb_tables_clone(tables, &copy));
    OK(wb_tables_update(tables, map, &changed, &effect));
    CHECK(effect == WB_UPDATE_CHANGED);
    CHECK(wb_plan_advance(tables, scratch, 2, &done) == WB_ARGUMENT && says("wb_plan_begin again"));
    OK(wb_tables_check_moves(tables, &start, moves, n_moves, &end, &n_legal));
    CHECK(n_legal == 2 && end.arrival == 20);
    OK(wb_plan(tables, &request, scratch, path, &answer));
    CHECK(answer.cost == 170);
    OK(wb_plan(copy, &request, scratch, path, &answer));
    CHECK(answer.cost == 60);
    wb_rect far_away = {100, -100, 4, 4};
    OK(wb_tables_update(tables, map, &far_away, NULL));
    uint64_t other = map_of("...\n...\n");
    CHECK(wb_tables_update(tables, other, &changed, NULL) == WB_ARGUMENT && says("the map is of 3 x 2"));
    OK(wb_map_destroy(other));

    /* No path, and why. */
    goal.x = 4, goal.y = 2;
    OK(wb_plan(tables, &request, scratch, path, &answer));
    CHECK(answer.result == WB_PLAN_GOAL_BLOCKED && answer.moves == 0 && answer.reached == WB_REACHED_NOTHING);
    OK(wb_path_poses(path, &poses, &count));
    CHECK(count == 0);
    OK(wb_plan_explain(map, tables, &request, &answer, words, sizeof words, &count));
    words[count] = 0;
    CHECK(strstr(words, "water"));
    request.fallback = WB_FALLBACK_NEAREST;
    OK(wb_plan(tables, &request, scratch, path, &answer));
    CHECK(answer.result == WB_PLAN_FOUND && answer.reached == WB_REACHED_NEAREST);
    goal.x = 7, goal.y = 1;
    request = request_to(start, &goal);
    request.expansions_max = 2;
    OK(wb_plan(tables, &request, scratch, path, &answer));
    CHECK(answer.result == WB_PLAN_LIMIT_REACHED && answer.expansions == 2);

    /* Obstacles and a window: only the northern shore is left, then nothing. */
    uint64_t bits[6] = {0};
    request = request_to(start, &goal);
    request.obstacles = bits, request.n_obstacles = 6;
    OK(wb_plan(copy, &request, scratch, path, &answer));
    CHECK(answer.cost == 60);
    for (int y = 0; y < 6; y++) bits[y] = 1u << 5;
    OK(wb_plan(copy, &request, scratch, path, &answer));
    CHECK(answer.result == WB_PLAN_UNREACHABLE);
    request.n_obstacles = 5;
    CHECK(wb_plan(copy, &request, scratch, path, &answer) == WB_ARGUMENT && says("expected 6"));
    request = request_to(start, &goal);
    request.window = (wb_rect){0, 0, 6, 6};
    OK(wb_plan(copy, &request, scratch, path, &answer));
    CHECK(answer.result != WB_PLAN_FOUND);
    request = request_to(start, &goal);
    request.weight_permille = 999;
    CHECK(wb_plan(copy, &request, scratch, path, &answer) == WB_ARGUMENT && says("`request`: `weight_permille` is 999"));
    request.weight_permille = 1000, request.n_goals = 0;
    CHECK(wb_plan(copy, &request, scratch, path, &answer) == WB_ARGUMENT && says("`n_goals` is 0"));
    CHECK(wb_plan(copy, NULL, scratch, path, &answer) == WB_POINTER);
    CHECK(wb_plan(copy, &request, path, path, &answer) == WB_WRONG_KIND);
    OK(wb_tables_destroy(copy));
    OK(wb_tables_destroy(tables));
    OK(wb_scratch_destroy(scratch));
    OK(wb_path_destroy(path));
    OK(wb_class_destroy(class_));
    OK(wb_map_destroy(map));
}

static void batches(void) {
    enum { N = 10000 };
    uint64_t map = map_of(lake), class_ = lorry_class(), tables = 0, scratch = 0, path = 0, random = 1;
    OK(wb_tables_new(map, class_, &tables));
    OK(wb_scratch_new(&scratch));
    OK(wb_path_new(&path));
    static wb_goal goals[N];
    static wb_request requests[N];
    static wb_answer answers[N], others[N];
    static size_t offsets[N + 1], other_offsets[N + 1];
    for (int n = 0; n < N; n++) {
        goals[n] = (wb_goal){(int32_t)(next_random(&random) % 9), (int32_t)(next_random(&random) % 5), WB_ANY_HEADING};
        wb_pose start = {(int32_t)(next_random(&random) % 8), (int32_t)(next_random(&random) % 5), next_random(&random) % 4};
        requests[n] = request_to(start, &goals[n]);
    }
    answers[0].size = others[0].size = sizeof answers[0];
    CHECK(wb_plan_batch(tables, requests, N, 1, scratch, answers, NULL, NULL, 0, offsets) == WB_OK);
    size_t total = offsets[N];
    wb_path_pose *poses = malloc(total * sizeof *poses), *other_poses = malloc(total * sizeof *poses);
    uint8_t *moves = malloc(total), *other_moves = malloc(total);
    CHECK(wb_plan_batch(tables, requests, N, 1, 0, answers, poses, moves, total - 1, offsets) == WB_BUFFER);
    OK(wb_plan_batch(tables, requests, N, 1, scratch, answers, poses, moves, total, offsets));
    for (uint32_t threads = 2; threads < 5; threads++) {
        OK(wb_plan_batch(tables, requests, N, threads, threads == 3 ? 0 : scratch, others, other_poses, other_moves, total, other_offsets));
        CHECK(memcmp(answers, others, sizeof answers) == 0 && memcmp(offsets, other_offsets, sizeof offsets) == 0);
        CHECK(memcmp(poses, other_poses, total * sizeof *poses) == 0 && memcmp(moves, other_moves, total) == 0);
    }
    for (int n = 0; n < N; n += 97) {
        wb_answer one = {.size = sizeof one};
        const wb_path_pose *of_one;
        size_t count;
        OK(wb_plan(tables, &requests[n], scratch, path, &one));
        CHECK(memcmp(&one, &answers[n], sizeof one) == 0);
        OK(wb_path_poses(path, &of_one, &count));
        CHECK(count == offsets[n + 1] - offsets[n] && memcmp(of_one, poses + offsets[n], count * sizeof *poses) == 0);
        CHECK(count == 0 || moves[offsets[n + 1] - 1] == WB_NO_MOVE);
    }
    requests[77].fallback = 9;
    CHECK(wb_plan_batch(tables, requests, N, 2, scratch, answers, NULL, NULL, 0, offsets) == WB_ARGUMENT && says("requests[77]"));
    free(poses), free(other_poses), free(moves), free(other_moves);
    OK(wb_tables_destroy(tables));
    OK(wb_scratch_destroy(scratch));
    OK(wb_path_destroy(path));
    OK(wb_class_destroy(class_));
    OK(wb_map_destroy(map));
}

static void fields(void) {
    uint64_t map = map_of(lake), class_ = lorry_class(), tables = 0, field = 0, from = 0, path = 0;
    OK(wb_tables_new(map, class_, &tables));
    OK(wb_path_new(&path));
    wb_goal goal = {7, 1, WB_ANY_HEADING};
    wb_pose start = {1, 1, 0}, wet = {4, 2, 0}, after;
    uint32_t ticks = 0, primitive = 9;
    uint8_t complete = 9, found = 9;
    size_t count = 0;
    CHECK(wb_field_to_goal(tables, &goal, 0, 0, &field) == WB_ARGUMENT);
    OK(wb_field_to_goal(tables, &goal, 1, 0, &field));
    OK(wb_field_cost(field, tables, &start, &ticks));
    CHECK(ticks == 60);
    OK(wb_field_cost(field, tables, &wet, &ticks));
    CHECK(ticks == WB_NEVER);
    OK(wb_field_next(field, tables, &start, &primitive, &after));
    CHECK(primitive == 0 && after.x == 2);
    OK(wb_field_path(field, tables, &start, path, &found));
    const wb_path_pose *poses;
    OK(wb_path_poses(path, &poses, &count));
    CHECK(found == 1 && count == 7 && poses[6].pose.x == 7);
    OK(wb_field_settle(field, tables, UINT64_MAX, &complete));
    CHECK(complete == 1);
    const wb_change building = {WB_CHANGE_TERRAIN, {4, 0, 2, 2}, 3, {0}};
    wb_rect changed;
    OK(wb_map_edit(map, &building, 1, &changed));
    OK(wb_tables_update(tables, map, &changed, NULL));
    CHECK(wb_field_cost(field, tables, &start, &ticks) == WB_ARGUMENT && says("wb_field_repair"));
    OK(wb_field_repair(field, tables, &changed));
    OK(wb_field_cost(field, tables, &start, &ticks));
    CHECK(ticks == 170);

    OK(wb_field_from_pose(tables, &start, &from));
    CHECK(wb_field_within(from, tables, 10, NULL, 0, &count) == WB_BUFFER && count == 2);
    wb_path_pose reached[2];
    OK(wb_field_within(from, tables, 10, reached, 2, &count));
    for (size_t n = 0; n < count; n++) CHECK(reached[n].arrival <= 10);
    wb_pose far_end = {7, 1, 1};
    OK(wb_field_next(from, tables, &far_end, &primitive, &after));
    CHECK(primitive != WB_NONE && (after.x != 1 || after.y != 1 || after.heading != 0));
    uint64_t other = 0;
    OK(wb_tables_new(map, class_, &other));
    CHECK(wb_field_cost(from, other, &start, &ticks) == WB_ARGUMENT && says("other tables"));
    OK(wb_tables_destroy(other));
    OK(wb_field_destroy(from));
    OK(wb_field_destroy(field));
    OK(wb_path_destroy(path));
    OK(wb_tables_destroy(tables));
    OK(wb_class_destroy(class_));
    OK(wb_map_destroy(map));
}

static void queues(void) {
    uint64_t map = map_of(lake), class_ = lorry_class(), tables = 0, queue = 0, ticket = 0, dropped = 0, found = 9;
    size_t jobs = 9, answers = 9, open = 9, count = 0;
    OK(wb_tables_new(map, class_, &tables));
    CHECK(wb_queue_new(9, 6, 0, 2, &queue) == WB_ARGUMENT && says("`classes` is 0"));
    OK(wb_queue_new(9, 6, 1, 2, &queue));
    wb_goal goal = {7, 1, WB_ANY_HEADING};
    wb_request request = request_to((wb_pose){1, 1, 0}, &goal);
    CHECK(wb_queue_submit(queue, 1, &request, 0, &ticket) == WB_ARGUMENT);
    OK(wb_queue_submit(queue, 0, &request, 0, &ticket));
    OK(wb_queue_submit(queue, 0, &request, 5, &dropped));
    OK(wb_queue_cancel(queue, dropped));
    CHECK(wb_queue_cancel(queue, dropped) == WB_NOT_FOUND);
    for (int n = 0; n < 20; n++) OK(wb_queue_submit(queue, 0, &request, n, &dropped));
    OK(wb_queue_open(queue, &open));
    CHECK(open == 21);
    CHECK(wb_queue_begin(queue, &tables, 2, 100000, &jobs) != WB_OK && jobs == 0);
    CHECK(wb_queue_run(queue, 0) == WB_ARGUMENT);
    OK(wb_queue_begin(queue, &tables, 1, 100000, &jobs));
    CHECK(jobs == 2 && wb_queue_submit(queue, 0, &request, 0, &ticket) == WB_BUSY);
    CHECK(wb_queue_end(queue, &jobs, &answers) == WB_ARGUMENT && says("job 0 has not been run"));
    int rounds = 0;
    for (jobs = 2; jobs > 0; rounds++) {
        for (size_t job = jobs; job-- > 0;) OK(wb_queue_run(queue, job));
        CHECK(wb_queue_run(queue, 0) == WB_ARGUMENT && wb_queue_run(queue, jobs) == WB_ARGUMENT);
        OK(wb_queue_end(queue, &jobs, &answers));
    }
    CHECK(rounds > 1 && answers == 21);
    wb_answer answer = {.size = sizeof answer};
    const wb_path_pose *poses;
    const uint8_t *moves;
    OK(wb_queue_answer(queue, 0, &found, &answer, &poses, &moves, &count));
    CHECK(found == ticket && answer.cost == 60 && count == 7 && poses[6].arrival == 60 && moves[0] == 0);
    CHECK(wb_queue_answer(queue, 21, &found, &answer, &poses, &moves, &count) == WB_NOT_FOUND);
    OK(wb_queue_submit(queue, 0, &request, 0, &ticket));
    OK(wb_queue_advance(queue, &tables, 1, 100000, &answers));
    CHECK(answers == 1);
    OK(wb_queue_destroy(queue));
    OK(wb_tables_destroy(tables));
    OK(wb_class_destroy(class_));
    OK(wb_map_destroy(map));
}

int main(void) {
    CHECK(wb_abi_version() == WB_ABI_VERSION);
    CHECK(strcmp(wb_status_name(WB_BUSY), "busy") == 0 && wb_status_name(99) == NULL && wb_plan_result_name(99) == NULL);
    maps(), classes(), tables_and_plans(), batches(), fields(), queues();
    puts("basics: ok");
    return 0;
}
