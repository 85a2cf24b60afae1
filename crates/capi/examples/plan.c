/* A lorry of two cells finds its way round a lake; then a building goes up, and it plans again. */
#include <stdio.h>
#include <stdlib.h>
#include <wheelbase.h>

static void ok(uint32_t status) {
    char message[500];
    size_t length = 0;
    if (status == WB_OK) return;
    if (wb_last_error(message, sizeof message, &length) != WB_OK) length = 0;
    fprintf(stderr, "%s: %.*s\n", wb_status_name(status), (int)length, message);
    exit(1);
}

static const char rows[] = ".........\n.........\n....WW...\n.........\n.........\n.........\n";
static const char lorry[] = "[class.lorry]\nheadings = 4\nfootprint = [[0, 0], [-1, 0]]\nmoves = [\n"
                            "  { name = \"forward\", by = [1, 0], time = 10 },\n"
                            "  { name = \"reverse\", by = [-1, 0], time = 30 },\n"
                            "  { name = \"left\", turn = 1, time = 10 },\n"
                            "  { name = \"right\", turn = -1, time = 10 },\n]\n";

int main(void) {
    uint64_t map, class_, tables, scratch, path;
    ok(wb_map_from_rows(rows, sizeof rows - 1, &map));
    ok(wb_class_parse("lorry.toml", 10, lorry, sizeof lorry - 1, &class_));
    ok(wb_tables_new(map, class_, &tables)); /* shared by all lorries on this map */
    ok(wb_scratch_new(&scratch));            /* the memory of one search at a time */
    ok(wb_path_new(&path));

    wb_goal goal = {7, 1, WB_ANY_HEADING};
    wb_request request;
    wb_answer answer = {.size = sizeof answer};
    ok(wb_request_init(&request));
    request.start = (wb_pose){1, 1, 0};
    request.goals = &goal;
    request.n_goals = 1;
    ok(wb_plan(tables, &request, scratch, path, &answer));
    printf("%s: %u ticks, %u moves\n", wb_plan_result_name(answer.result), answer.cost, answer.moves);

    const wb_change building = {WB_CHANGE_TERRAIN, {4, 0, 2, 2}, 3, {0}}; /* terrain kind 3: trees */
    wb_rect changed;
    ok(wb_map_edit(map, &building, 1, &changed));
    ok(wb_tables_update(tables, map, &changed, NULL)); /* compiles only what the edit touches */
    ok(wb_plan(tables, &request, scratch, path, &answer));
    printf("%s: %u ticks, %u moves\n", wb_plan_result_name(answer.result), answer.cost, answer.moves);

    const wb_path_pose *poses;
    size_t count;
    ok(wb_path_poses(path, &poses, &count)); /* the path's own memory, until the path is written again */
    for (size_t n = 0; n < count; n++) printf("(%d, %d) ", poses[n].pose.x, poses[n].pose.y);
    puts("");
    wb_path_destroy(path);
    wb_scratch_destroy(scratch);
    wb_tables_destroy(tables);
    wb_class_destroy(class_);
    wb_map_destroy(map);
    return 0;
}
