/* Answers the queries that tests/plans.rs has written: queries FOLDER. Costs are those of Rust. */
#include "check.h"

int main(int n_arguments, char **arguments) {
    CHECK(n_arguments == 2);
    char name[1000];
    uint64_t map = 0, class_ = lorry_class(), tables = 0, scratch = 0;
    int length = snprintf(name, sizeof name, "%s/queries.map", arguments[1]);
    OK(wb_map_open(name, (size_t)length, &map));
    OK(wb_tables_new(map, class_, &tables));
    OK(wb_scratch_new(&scratch));
    snprintf(name, sizeof name, "%s/queries.txt", arguments[1]);
    FILE *queries = fopen(name, "r");
    CHECK(queries != NULL);
    int x, y, to_x, to_y, n = 0;
    unsigned heading, fallback, result, cost;
    while (fscanf(queries, "%d %d %u %d %d %u %u %u", &x, &y, &heading, &to_x, &to_y, &fallback, &result, &cost) == 8) {
        wb_goal goal = {to_x, to_y, WB_ANY_HEADING};
        wb_request request = request_to((wb_pose){x, y, heading}, &goal);
        request.fallback = fallback;
        wb_answer answer = {.size = sizeof answer};
        OK(wb_plan(tables, &request, scratch, 0, &answer));
        CHECK(answer.result == result && answer.cost == cost);
        n++;
    }
    CHECK(n == 1000 && feof(queries));
    fclose(queries);
    OK(wb_scratch_destroy(scratch));
    OK(wb_tables_destroy(tables));
    OK(wb_class_destroy(class_));
    OK(wb_map_destroy(map));
    printf("queries: %d cost what they do in Rust\n", n);
    return 0;
}
