/* What the test programs share. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wheelbase.h>

/* Ends the program with the place and the words of the failure. */
#define CHECK(is)                                                                             \
    do {                                                                                      \
        if (!(is)) {                                                                          \
            fprintf(stderr, "%s:%d: %s\n  last error: %s\n", __FILE__, __LINE__, #is, said()); \
            exit(1);                                                                          \
        }                                                                                     \
    } while (0)
#define OK(call) CHECK((call) == WB_OK)

static inline const char *said(void) {
    static char text[2000];
    size_t length = 0;
    if (wb_last_error(text, sizeof text - 1, &length) != WB_OK) return "(too long)";
    text[length] = 0;
    return text;
}

static const char lorry_text[] = "[class.lorry]\nheadings = 4\nfootprint = [[0, 0], [-1, 0]]\nmoves = [\n"
                                 "  { name = \"forward\", by = [1, 0], time = 10 },\n"
                                 "  { name = \"reverse\", by = [-1, 0], time = 30 },\n"
                                 "  { name = \"left\", turn = 1, time = 10 },\n"
                                 "  { name = \"right\", turn = -1, time = 10 },\n]\n";

static inline uint64_t lorry_class(void) {
    uint64_t class_ = 0;
    OK(wb_class_parse("lorry.toml", 10, lorry_text, sizeof lorry_text - 1, &class_));
    return class_;
}

static inline uint64_t map_of(const char *rows) {
    uint64_t map = 0;
    OK(wb_map_from_rows(rows, strlen(rows), &map));
    return map;
}

static inline wb_request request_to(wb_pose start, const wb_goal *goal) {
    wb_request request;
    OK(wb_request_init(&request));
    request.start = start;
    request.goals = goal;
    request.n_goals = 1;
    return request;
}

/* SplitMix64. */
static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

#endif
