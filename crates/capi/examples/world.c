/* Two lorries that do not collide: a world, orders, an edit of the map, a save and its hash. */
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

int main(void) {
    uint64_t map, class_, setup, world, copy, hash, hash_of_copy;
    uint32_t lorry, agents[2], state;
    wb_primitive moves[3] = {{.size = sizeof moves[0], .name = "forward", .name_length = 7, .forward = 1, .time = 10},
                             {.size = sizeof moves[0], .name = "left", .name_length = 4, .turn = 1, .time = 10},
                             {.size = sizeof moves[0], .name = "right", .name_length = 5, .turn = -1, .time = 10}};
    const wb_cell body[2] = {{0, 0}, {-1, 0}}; /* the anchor, and the cell behind it */
    wb_class_spec spec;
    ok(wb_class_spec_init(&spec));
    spec.name = "lorry", spec.name_length = 5;
    spec.footprint = body, spec.n_footprint = 2;
    spec.primitives = moves, spec.n_primitives = 3;
    ok(wb_class_new(&spec, &class_));
    ok(wb_map_new(16, 9, WB_SHAPE_SQUARE, 0, &map));

    wb_settings settings;
    ok(wb_settings_init(&settings));
    ok(wb_setup_new(map, &settings, &setup));
    ok(wb_setup_class(setup, class_, &lorry));
    for (int n = 0; n < 2; n++) { /* towards each other, in the same row */
        const wb_goal goal = {n == 0 ? 14 : 1, 4, WB_ANY_HEADING};
        wb_order order;
        ok(wb_order_init(&order, WB_ORDER_GOTO));
        order.goals = &goal, order.n_goals = 1;
        const wb_spawn spawn = {.size = sizeof spawn, .class_ = lorry, .pose = {n == 0 ? 1 : 14, 4, n == 0 ? 0 : 2},
                                .orders = &order, .n_orders = 1};
        ok(wb_setup_agent(setup, &spawn, &agents[n]));
    }
    ok(wb_world_new(setup, &world));

    const wb_change wall = {WB_CHANGE_TERRAIN, {7, 0, 1, 3}, 3, {0}}; /* trees; takes effect when it disturbs nobody */
    ok(wb_command_edit(world, &wall, 1, WB_ON_AGENTS_WAIT, WB_NONE, 0, NULL));
    for (int tick = 0; tick < 400; tick++) {
        const wb_event_row *events;
        size_t count;
        ok(wb_world_step(world, &state));
        ok(wb_world_events(world, &events, &count)); /* the world's own memory, until it changes */
        for (size_t n = 0; n < count; n++)
            if (events[n].kind == WB_EVENT_ORDER_DONE) printf("tick %u: lorry %u is there\n", events[n].tick, events[n].agent);
        if (tick != 50) continue;
        size_t length; /* a saved game: ask for its size, then for its bytes */
        if (wb_world_save(world, NULL, 0, &length) != WB_BUFFER) return 1;
        uint8_t *bytes = malloc(length);
        ok(wb_world_save(world, bytes, length, &length));
        ok(wb_world_load(bytes, length, 2, &copy)); /* on two threads: the result is the same */
        free(bytes);
    }
    for (int tick = 51; tick < 400; tick++) ok(wb_world_step(copy, &state));
    ok(wb_world_hash(world, &hash));
    ok(wb_world_hash(copy, &hash_of_copy));
    puts(hash == hash_of_copy ? "the copy went the same way" : "the copy went another way");
    wb_world_destroy(copy);
    wb_world_destroy(world);
    wb_setup_destroy(setup);
    wb_class_destroy(class_);
    wb_map_destroy(map);
    return hash != hash_of_copy;
}
