/* The same figures in C as Figures.cs prints of C#: the same map, the same ways. */
#define _POSIX_C_SOURCE 199309L
#include "../../capi/tests/c/check.h"
#include <time.h>

enum { SIDE = 256, N = 2000000, WAYS = 10000 };

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at); /* a busy machine disturbs it less than the time of day */
    return (double)at.tv_sec + (double)at.tv_nsec * 1e-9;
}

static int below(uint64_t *state, uint32_t limit) { return (int)(next_random(state) % limit); }

static int least(int one, int other) { return one < other ? one : other; }

int main(void) {
    static uint8_t cells[SIDE * SIDE];
    static wb_goal goals[WAYS];
    static wb_request requests[WAYS];
    static wb_answer answers[WAYS];
    static size_t offsets[WAYS + 1];
    static wb_path_pose poses[WAYS * 40];
    static uint8_t moves[WAYS * 40];
    uint64_t state = 16, map, class_ = lorry_class(), tables, scratch, path;
    for (size_t i = 0; i < sizeof cells; i++) cells[i] = next_random(&state) % 10 == 0 ? 3 : 0;
    OK(wb_map_from_cells(SIDE, SIDE, WB_SHAPE_SQUARE, cells, sizeof cells, NULL, 0, &map));
    OK(wb_tables_new(map, class_, &tables));
    OK(wb_tables_make_components(tables)); /* a goal out of reach ends a search at once */
    OK(wb_scratch_new(&scratch));
    OK(wb_path_new(&path));
    double call = 1e9, each = 1e9, all = 1e9;
    uint64_t legal = 0, cost = 0, cost_of_batch = 0;
    for (int run = 0; run < 7; run++) {
        double begin = now();
        for (uint32_t i = 0; i < N; i++) {
            wb_pose pose = {(int32_t)(i & 255), (int32_t)(i >> 8 & 255), i & 3};
            uint8_t is_legal = 0;
            wb_tables_is_legal(tables, &pose, &is_legal);
            legal += is_legal;
        }
        if (now() - begin < call) call = now() - begin;
    }
    printf("one call (is_legal): %.0f ns; %llu legal\n", call * 1e9 / N, (unsigned long long)legal / 7);
    for (int i = 0; i < WAYS;) {
        wb_pose start;
        uint8_t is_legal;
        start.x = below(&state, SIDE), start.y = below(&state, SIDE), start.heading = (uint32_t)below(&state, 4);
        goals[i].x = least(SIDE - 1, start.x + below(&state, 5)), goals[i].y = least(SIDE - 1, start.y + below(&state, 5));
        goals[i].heading = WB_ANY_HEADING;
        OK(wb_tables_is_legal(tables, &start, &is_legal));
        if (!is_legal) continue;
        requests[i] = request_to(start, &goals[i]);
        answers[i++].size = sizeof answers[0];
    }
    for (int run = 0; run < 7; run++) {
        double begin = now();
        cost = 0;
        for (int i = 0; i < WAYS; i++) {
            OK(wb_plan(tables, &requests[i], scratch, path, &answers[0]));
            cost += answers[0].cost;
        }
        if (now() - begin < each) each = now() - begin;
        begin = now();
        cost_of_batch = 0;
        OK(wb_plan_batch(tables, requests, WAYS, 0, scratch, answers, poses, moves, WAYS * 40, offsets));
        for (int i = 0; i < WAYS; i++) cost_of_batch += answers[i].cost;
        if (now() - begin < all) all = now() - begin;
    }
    CHECK(cost == cost_of_batch);
    printf("10,000 short plans: %.2f ms one by one, %.2f ms in one call\n", each * 1e3, all * 1e3);
    printf("sum of costs %llu\n", (unsigned long long)cost);
    OK(wb_path_destroy(path));
    OK(wb_scratch_destroy(scratch));
    OK(wb_tables_destroy(tables));
    OK(wb_class_destroy(class_));
    OK(wb_map_destroy(map));
    return 0;
}
