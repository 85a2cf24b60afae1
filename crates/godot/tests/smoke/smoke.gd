extends SceneTree
## What .ci/godot runs in a headless Godot. The last line counts the checks; the exit code is 1 if one has failed.

const TANK := """
[class.tank]
headings = 4
footprint = ["X>"]
moves = [
  { name = "forward", by = [1, 0], time = 5 },
  { name = "reverse", by = [-1, 0], time = 10 },
  { name = "left", turn = 1, time = 5 },
  { name = "right", turn = -1, time = 5 },
]
"""
const WALKER := """
[class.walker]
headings = 6
footprint = ["X>"]
moves = [
  { name = "forward", by = [1, 0], time = 4 },
  { name = "left", turn = 1, time = 4 },
  { name = "right", turn = -1, time = 4 },
]
"""
## Neighbours of a hexagon by heading.
const SIDES: Array[TileSet.CellNeighbor] = [
	TileSet.CELL_NEIGHBOR_RIGHT_SIDE,
	TileSet.CELL_NEIGHBOR_TOP_RIGHT_SIDE,
	TileSet.CELL_NEIGHBOR_TOP_LEFT_SIDE,
	TileSet.CELL_NEIGHBOR_LEFT_SIDE,
	TileSet.CELL_NEIGHBOR_BOTTOM_LEFT_SIDE,
	TileSet.CELL_NEIGHBOR_BOTTOM_RIGHT_SIDE,
]

var checks := 0
var failed := 0


func check(is_right: bool, what: String) -> void:
	checks += 1
	if not is_right:
		failed += 1
		printerr("FAILED: ", what)


func equal(found: Variant, expected: Variant, what: String) -> void:
	check(found == expected, "%s: found %s, expected %s" % [what, found, expected])


func has(message: String, parts: Array, what: String) -> void:
	for part in parts:
		check(part in message, "%s: no \"%s\" in \"%s\"" % [what, part, message])


func field(width := 32, height := 24) -> WheelbaseMap:
	var map := WheelbaseMap.new()
	var rows: PackedStringArray = []
	for y in height:
		rows.append(".".repeat(width))
	equal(map.read_text("\n".join(rows)), OK, "a map of text")
	return map


func new_world(map: WheelbaseMap, steps_itself := false) -> WheelbaseWorld:
	var world := WheelbaseWorld.new()
	world.name = "World"
	world.auto_step = steps_itself
	root.add_child(world, true)
	equal(world.add_class(TANK), 0, "the number of the first class")
	equal(world.start(map), OK, "start")
	return world


func _initialize() -> void:
	await process_frame
	await spawn_order_arrive()
	maps()
	for layout in [TileSet.TILE_LAYOUT_STACKED, TileSet.TILE_LAYOUT_STACKED_OFFSET]:
		for first in [Vector2i(-3, -4), Vector2i(2, 1)]:
			hexagons(layout, first, Vector2i(110, 127))
			hexagons(layout, first, Vector2i(64, 48))
	other_tiles()
	save_and_load()
	lockstep()
	bad_input()
	edits()
	await nodes()
	every_command()
	await many()
	await steps_itself()
	print("%d checks, %d failed, Godot %s" % [checks, failed, Engine.get_version_info().string])
	quit(1 if failed else 0)


func spawn_order_arrive() -> void:
	var world := new_world(field())
	var log := []
	world.unit_spawned.connect(func(unit: int, ticket: int): log.append(["spawned", unit, ticket]))
	world.arrived.connect(func(unit: int): log.append(["arrived", unit]))
	world.order_done.connect(func(unit: int, order: String): log.append(["done", unit, order]))
	world.unit_removed.connect(func(unit: int): log.append(["removed", unit]))
	check(world.can_place(0, Vector2i(4, 4)), "room for a tank")
	var ticket := world.spawn(0, Vector2i(4, 4), 1, 2)
	check(ticket >= 0, "a ticket")
	equal(world.step(), OK, "step")
	equal(log, [["spawned", 0, ticket]], "signals of the first tick")
	equal([world.unit_cell(0), world.unit_heading(0), world.unit_team(0), world.unit_class(0)], [Vector2i(4, 4), 1, 2, 0], "the unit")
	equal([world.unit_at(Vector2i(4, 5)), world.unit_at(Vector2i(5, 4))], [0, -1], "its cells: it faces north")
	check(not world.can_place(0, Vector2i(4, 4)), "no room for a second tank")
	check(absf(world.unit_rotation(0) + PI / 2) < 1e-5, "its rotation: upwards")
	equal(world.unit_position(0), Vector2(4.5 * 16, 5 * 16), "its centre")
	equal(world.cell_at(world.cell_center(Vector2i(3, 9))), Vector2i(3, 9), "the cell at its centre")
	check(world.order_goto([0], Vector2i(20, 10)) >= 0, "an order")
	for i in 400:
		world.step()
	equal(world.unit_cell(0), Vector2i(20, 10), "where it went")
	equal(log.slice(1), [["arrived", 0], ["done", 0, "goto"]], "signals of the arrival")
	check(world.nothing_left(), "nothing is left to do")
	# A signal may give commands, step, and free the world.
	world.arrived.connect(func(unit: int):
		world.remove([unit])
		world.step())
	world.order_goto([0], Vector2i(18, 10))
	world.unit_removed.connect(func(_unit: int): world.queue_free())
	for i in 200:
		world.step()
	await process_frame
	await process_frame
	check(not is_instance_valid(world), "freed by its own signal")


func maps() -> void:
	var map := WheelbaseMap.new()
	equal(map.add_terrain("road", "r", 2000), OK, "a kind of terrain")
	equal(map.read_bytes(3, PackedByteArray([0, 1, 0, 0, 1, 2]), ["ground", "road", "water"]), OK, "a map of bytes")
	equal([map.size(), map.terrain_at(Vector2i(2, 1)), map.terrain_at(Vector2i(1, 0))], [Vector2i(3, 2), "water", "road"], "its cells")
	equal(map.read_bytes(4, PackedByteArray([0, 1, 0, 0, 1, 2]), ["ground"]), ERR_INVALID_PARAMETER, "bytes that are no rows")
	equal(map.read_bytes(3, PackedByteArray([0, 1, 0]), ["ground"]), ERR_INVALID_PARAMETER, "a byte without a name")
	has(map.last_error(), ["WheelbaseMap.read_bytes", "(1, 0)"], "its message")
	equal(map.size(), Vector2i(3, 2), "the map that was there stays")
	equal(map.read_text("..\n.?"), ERR_INVALID_PARAMETER, "a letter without a kind")
	has(map.last_error(), ["WheelbaseMap.read_text", "?", "(1, 1)"], "its message")
	equal(map.read_file("res://none.map"), ERR_INVALID_PARAMETER, "a file that is not there")
	has(map.last_error(), ["res://none.map"], "its message")

	var tiles := TileSet.new()
	tiles.tile_size = Vector2i(32, 32)
	tiles.add_custom_data_layer()
	tiles.set_custom_data_layer_name(0, "terrain")
	tiles.set_custom_data_layer_type(0, TYPE_STRING)
	var source := TileSetAtlasSource.new()
	source.texture = ImageTexture.create_from_image(Image.create_empty(96, 32, false, Image.FORMAT_RGBA8))
	source.texture_region_size = Vector2i(32, 32)
	tiles.add_source(source, 0)
	for x in 3:
		source.create_tile(Vector2i(x, 0))
	source.get_tile_data(Vector2i(0, 0), 0).set_custom_data("terrain", "ground")
	source.get_tile_data(Vector2i(1, 0), 0).set_custom_data("terrain", "water")
	var layer := TileMapLayer.new()
	layer.name = "Ground"
	layer.tile_set = tiles
	layer.position = Vector2(100, 50)
	root.add_child(layer)
	for x in 6:
		for y in 4:
			if Vector2i(x, y) != Vector2i(2, 2):
				layer.set_cell(Vector2i(x - 2, y + 3), 0, Vector2i(1 if x == 5 else 0, 0))
	map = WheelbaseMap.new()
	equal(map.read_tile_map_layer(layer, "terrain"), OK, "a map of custom data")
	equal([map.size(), map.terrain_at(Vector2i(0, 0)), map.terrain_at(Vector2i(5, 3)), map.terrain_at(Vector2i(2, 2))], [Vector2i(6, 4), "ground", "water", "out"], "its cells")
	equal(map.read_tile_map_layer(layer, {Vector2i(0, 0): "swamp", Vector2i(1, 0): "trees"}, "ground"), OK, "a map of a mapping")
	equal([map.terrain_at(Vector2i(0, 0)), map.terrain_at(Vector2i(5, 3)), map.terrain_at(Vector2i(2, 2))], ["swamp", "trees", "ground"], "its cells")
	var world := new_world(map)
	equal([world.cell_size, world.origin], [32.0, Vector2(100 - 64, 50 + 96)], "the world lies where the layer lies")
	equal(world.cell_at(layer.to_global(layer.map_to_local(Vector2i(1, 5)))), Vector2i(3, 2), "the cell of a tile")
	world.free()
	equal(map.read_tile_map_layer(layer, {Vector2i(0, 0): "ground"}), ERR_INVALID_PARAMETER, "a tile that is not in the mapping")
	has(map.last_error(), ["/root/Ground", "(3, 3)", "(1, 0)"], "its message")
	equal(map.read_tile_map_layer(layer, "height"), ERR_INVALID_PARAMETER, "a layer of custom data that is not there")
	has(map.last_error(), ["/root/Ground", "\"height\""], "its message")
	layer.set_cell(Vector2i(0, 3), 0, Vector2i(2, 0))
	equal(map.read_tile_map_layer(layer, "terrain"), ERR_INVALID_PARAMETER, "a tile without custom data")
	equal(map.read_tile_map_layer(null, "terrain"), ERR_INVALID_PARAMETER, "no layer")
	equal(map.read_tile_map_layer(layer, 7), ERR_INVALID_PARAMETER, "no name and no mapping")
	layer.free()


func hexagonal_layer(layout: TileSet.TileLayout, size: Vector2i) -> TileMapLayer:
	var tiles := TileSet.new()
	tiles.tile_shape = TileSet.TILE_SHAPE_HEXAGON
	tiles.tile_layout = layout
	tiles.tile_size = size
	var source := TileSetAtlasSource.new()
	source.texture = ImageTexture.create_from_image(Image.create_empty(size.x, size.y, false, Image.FORMAT_RGBA8))
	source.texture_region_size = size
	tiles.add_source(source, 0)
	source.create_tile(Vector2i.ZERO)
	var layer := TileMapLayer.new()
	layer.name = "Hexagons"
	layer.tile_set = tiles
	root.add_child(layer)
	return layer


## Cells, positions and headings are those of the layer.
func hexagons(layout: TileSet.TileLayout, first: Vector2i, size: Vector2i) -> void:
	var layer := hexagonal_layer(layout, size)
	layer.position = Vector2(100, 50)
	layer.scale = Vector2(2, 2)
	for x in 8:
		for y in 7:
			layer.set_cell(first + Vector2i(x, y), 0, Vector2i.ZERO)
	var map := WheelbaseMap.new()
	equal(map.read_tile_map_layer(layer, {Vector2i.ZERO: "ground"}), OK, "a map of hexagons")
	var is_first_shifted := posmod(first.y, 2) == (1 if layout == TileSet.TILE_LAYOUT_STACKED else 0)
	var above := Vector2i(0, 1 if is_first_shifted else 0)
	equal([map.size(), map.terrain_at(above)], [Vector2i(8, 7) + above, "ground"], "its cells")
	equal(map.terrain_at(Vector2i.ZERO), "out" if is_first_shifted else "ground", "its first row")
	var world := WheelbaseWorld.new()
	world.auto_step = false
	root.add_child(world, true)
	world.add_class(WALKER)
	equal(world.start(map), OK, "start")
	equal(world.cell_size, 2.0 * size.x, "the width of its cells")
	var wrong := []
	for x in 8:
		for y in 7:
			var tile := first + Vector2i(x, y)
			var center := layer.to_global(layer.map_to_local(tile))
			var cell := Vector2i(x, y) + above
			if world.cell_at(center) != cell or world.cell_center(cell).distance_to(center) > 0.01:
				wrong.append([tile, center, world.cell_at(center), world.cell_center(cell)])
	equal(wrong, [], "centers of cells")
	var corner := layer.to_global(layer.map_to_local(first))
	for i in 2000:
		var point := corner + Vector2(i % 50, i / 50) * Vector2(size) * Vector2(0.2471, 0.1937)
		var tile := layer.local_to_map(layer.to_local(point))
		if world.cell_at(point) != tile - first + above:
			wrong.append([point, tile, world.cell_at(point)])
	equal(wrong, [], "points in cells")
	var middle := first + Vector2i(4, 3)
	for heading in 6:
		var ahead := layer.get_neighbor_cell(middle, SIDES[heading])
		var behind := layer.get_neighbor_cell(middle, SIDES[(heading + 3) % 6])
		var at := layer.to_global(layer.map_to_local(middle))
		var node := WheelbaseUnit2D.new()
		node.unit_class = "walker"
		node.global_rotation = (layer.to_global(layer.map_to_local(ahead)) - at).angle()
		node.global_position = (at + layer.to_global(layer.map_to_local(behind))) / 2
		world.add_child(node)
		world.step()
		equal([world.unit_cell(node.unit), world.unit_heading(node.unit)], [middle - first + above, heading], "a node among hexagons")
		check(absf(angle_difference(world.unit_rotation(node.unit), node.rotation)) < 1e-4, "its rotation")
		check(world.unit_position(node.unit).distance_to(node.global_position) < 0.01, "its position")
		equal(world.unit_at(behind - first + above), node.unit, "the cell behind it")
		world.order_goto([node.unit], ahead - first + above)
		for i in 6:
			world.step()
		equal([world.unit_cell(node.unit), world.unit_heading(node.unit)], [ahead - first + above, heading], "a step ahead")
		world.remove([node.unit])
		world.step()
		node.free()
	world.free()
	layer.free()


func other_tiles() -> void:
	var layer := hexagonal_layer(TileSet.TILE_LAYOUT_STAIRS_RIGHT, Vector2i(64, 64))
	layer.set_cell(Vector2i.ZERO, 0, Vector2i.ZERO)
	var refuses := func(parts: Array) -> void:
		var map := WheelbaseMap.new()
		equal(map.read_tile_map_layer(layer, {Vector2i.ZERO: "ground"}), ERR_INVALID_PARAMETER, parts[0])
		has(map.last_error(), ["/root/Hexagons"] + parts, parts[0])
	refuses.call(["tile_layout is TILE_LAYOUT_STAIRS_RIGHT", "TILE_LAYOUT_STACKED"])
	layer.tile_set.tile_layout = TileSet.TILE_LAYOUT_STACKED
	layer.tile_set.tile_offset_axis = TileSet.TILE_OFFSET_AXIS_VERTICAL
	refuses.call(["tile_offset_axis is TILE_OFFSET_AXIS_VERTICAL", "TILE_OFFSET_AXIS_HORIZONTAL"])
	layer.tile_set.tile_shape = TileSet.TILE_SHAPE_ISOMETRIC
	refuses.call(["tile_shape is TILE_SHAPE_ISOMETRIC", "TILE_SHAPE_HEXAGON"])
	layer.free()


func crowd(world: WheelbaseWorld) -> void:
	for i in 40:
		world.spawn(0, Vector2i(2 + 3 * (i % 4), 2 + 2 * (i / 4)), 0, i % 2)


func save_and_load() -> void:
	var world := new_world(field())
	crowd(world)
	world.step()
	world.order_goto_group(world.units(), Vector2i(24, 12))
	for i in 30:
		world.step()
	world.stop([3]) # not yet carried out, but saved
	var saved := world.save()
	check(saved.size() > 100, "a saved game")
	var other := WheelbaseWorld.new()
	other.auto_step = false
	root.add_child(other, true)
	var loads := []
	other.loaded.connect(func(): loads.append(other.tick()))
	equal(other.load(saved), OK, "load")
	equal([loads, other.unit_count(), other.classes()], [[31], 40, PackedStringArray(["tank"])], "the loaded world")
	equal(other.state_hash(), world.state_hash(), "the hash of the loaded world")
	for i in 100:
		world.step()
		other.step()
	equal(other.state_hash(), world.state_hash(), "the hash a hundred ticks later")
	saved[saved.size() / 2] ^= 1
	var hash := other.state_hash()
	equal(other.load(saved), ERR_INVALID_PARAMETER, "a damaged save")
	has(other.last_error(), [".load: "], "its message")
	equal(other.load(PackedByteArray()), ERR_INVALID_PARAMETER, "an empty save")
	equal(other.state_hash(), hash, "the world that was there stays")
	world.free()
	other.free()


func lockstep() -> void:
	var worlds: Array[WheelbaseWorld] = [new_world(field()), new_world(field())]
	worlds[1].threads = 2
	for tick in 200:
		for world in worlds:
			if tick == 0:
				crowd(world)
			elif tick % 20 == 1:
				world.order_goto_group(world.units(), Vector2i(5 + tick / 10, 23 - tick / 10))
			world.step()
		if tick % 10 == 0:
			equal(worlds[0].state_hash(), worlds[1].state_hash(), "hashes of tick %d" % tick)
	var before := worlds[0].state_hash()
	worlds[0].hold([0])
	worlds[0].step()
	worlds[1].step()
	check(worlds[0].state_hash() != worlds[1].state_hash() and before != 0, "another command makes another world")
	for world in worlds:
		world.free()


func bad_input() -> void:
	var world := WheelbaseWorld.new()
	world.name = "Bad"
	world.auto_step = false
	root.add_child(world, true)
	check(world.step() != OK, "a step without a world")
	has(world.last_error(), ["/root/Bad.step", "start()"], "its message")
	equal(world.spawn(0, Vector2i.ZERO), -1, "a unit without a world")
	equal([world.tick(), world.unit_count(), world.state_hash(), world.save().size()], [0, 0, 0, 0], "nothing is there")
	equal(world.start(field()), ERR_INVALID_PARAMETER, "a world without classes")
	equal(world.add_class(TANK.replace("turn = 1", "turn = \"left\""), "res://bad.toml"), -1, "a wrong class")
	has(world.last_error(), ["/root/Bad.add_class", "bad.toml", "turn"], "its message")
	has(world.last_error(), ["8"], "its message has the line")
	equal(world.add_class_file("res://none.toml"), -1, "a file that is not there")
	has(world.last_error(), ["res://none.toml"], "its message")
	equal(world.add_class(TANK), 0, "a right class")
	equal(world.add_class(TANK), -1, "the same class again")
	equal(world.start(null), ERR_INVALID_PARAMETER, "no map")
	equal(world.start(WheelbaseMap.new()), ERR_INVALID_PARAMETER, "an empty map")
	equal(world.befriend(1, 99), ERR_INVALID_PARAMETER, "a team that is none")
	equal(world.start(field()), OK, "a world at last")
	equal(world.befriend(1, 2), ERR_INVALID_PARAMETER, "friends too late")
	equal(world.spawn(7, Vector2i(3, 3)), -1, "a class that is none")
	has(world.last_error(), ["/root/Bad.spawn", "class 7"], "its message")
	equal(world.spawn(0, Vector2i(3, 3), 4), -1, "a heading that is none")
	equal(world.spawn(0, Vector2i(3, 3), 0, -1), -1, "a team that is none")
	equal(world.spawn_group(0, -1, Rect2i(0, 0, 4, 4)), -1, "a negative number of units")
	equal(world.order_goto_area([0], Rect2i(0, 0, 0, 4)), -1, "an empty area")
	equal(world.order_wait([0], -4), -1, "a negative time")
	equal(world.order_goto([-3], Vector2i(3, 3)), -1, "a negative unit")
	has(world.last_error(), ["/root/Bad.order_goto", "units[0] is -3"], "its message")
	equal(world.order_goto([], Vector2i(3, 3)), -1, "nobody")
	equal(world.order_follow([0], 55), -1, "a leader that is none")
	equal(world.build(Rect2i(0, 0, 2, 2), "lava"), -1, "a terrain that is none")
	equal(world.unit_cell(9), Vector2i(-1, -1), "a unit that is none")
	has(world.last_error(), ["/root/Bad.unit_cell", "no unit 9"], "its message")
	equal(world.units_in(Rect2i(0, 0, -1, 5)).size(), 0, "an area that is none")
	var refused := []
	world.command_refused.connect(func(ticket: int, unit: int, reason: String): refused.append([ticket, unit, reason]))
	var tickets := [world.spawn(0, Vector2i(900, 3)), world.order_goto([77], Vector2i(3, 3)), world.cancel_edit(1 << 40)]
	world.step()
	equal(refused, [[tickets[0], -1, "illegal_pose"], [tickets[1], 77, "unknown_agent"], [tickets[2], -1, "no_such_edit"]], "refusals")
	var failures := []
	world.order_failed.connect(func(unit: int, order: String, reason: String): failures.append([unit, order, reason]))
	world.spawn(0, Vector2i(4, 4))
	world.spawn(0, Vector2i(8, 8))
	world.build(Rect2i(20, 0, 1, 24), "water")
	world.step()
	var units := world.units()
	equal(units.size(), 2, "two units")
	world.order_goto_pose(units, Vector2i(25, 5), 2)
	for i in 50:
		world.step()
	equal(failures, [[units[0], "goto", "unreachable"], [units[1], "goto", "unreachable"]], "orders that fail")
	world.ticks_per_second = NAN
	world.cell_size = -1.0
	check(world.cell_at(Vector2(1e30, NAN)) is Vector2i, "a point that is none")
	world.free()


func edits() -> void:
	var world := new_world(field())
	var log := []
	world.edit_done.connect(func(ticket: int, area: Rect2i): log.append(["done", ticket, area]))
	world.edit_waits.connect(func(ticket: int, units: int): log.append(["waits", ticket, units]))
	world.edit_cancelled.connect(func(ticket: int): log.append(["cancelled", ticket]))
	world.spawn(0, Vector2i(8, 8))
	world.step()
	var first := world.build(Rect2i(20, 5, 2, 2), "trees")
	var second := world.build(Rect2i(8, 8, 2, 2), "trees")
	equal(Array(world.units_in_the_way(Rect2i(8, 8, 2, 2), "trees")), [0], "who is in the way")
	world.step()
	equal(log, [["done", first, Rect2i(20, 5, 2, 2)], ["waits", second, 1]], "signals of edits")
	equal([world.terrain_at(Vector2i(20, 5)), world.terrain_at(Vector2i(8, 8))], ["trees", "ground"], "the map")
	world.cancel_edit(second)
	world.step()
	equal(log.back(), ["cancelled", second], "a withdrawn edit")
	var kinds := world.events().map(func(event): return event.kind)
	check("edit_cancelled" in kinds, "events of the tick: %s" % [kinds])
	world.free()


func every_command() -> void:
	var world := WheelbaseWorld.new()
	world.auto_step = false
	root.add_child(world, true)
	world.add_class(TANK)
	equal(world.add_class(TANK.replace("class.tank", "class.truck")), 1, "a second class")
	equal(world.befriend(0, 5), OK, "friends")
	equal(world.start(field()), OK, "start")
	equal([world.class_id("truck"), world.class_id("plane"), world.map_size()], [1, -1, Vector2i(32, 24)], "classes and map")
	for i in 6:
		world.spawn(0, Vector2i(4, 3 * i + 2))
	world.step()
	var failures := []
	world.command_refused.connect(func(_ticket: int, unit: int, reason: String): failures.append([unit, reason]))
	world.order_failed.connect(func(unit: int, order: String, reason: String): failures.append([unit, order, reason]))
	var done := []
	world.order_done.connect(func(unit: int, order: String): done.append([unit, order]))
	var patrol: Array[Vector2i] = [Vector2i(20, 2), Vector2i(4, 2)]
	var tickets := [
		world.order_patrol([0], patrol),
		world.order_goto_area([1], Rect2i(14, 4, 8, 3)),
		world.order_follow([2], 0, 4),
		world.order_wait([3], 5),
		world.order_goto([3], Vector2i(12, 12), true),
		world.order_goto_pose([4], Vector2i(12, 15), 3),
		world.set_team([5], 5),
		world.set_speed([5], 500),
		world.set_priority([5], -2),
		world.set_class(5, 1),
	]
	equal(tickets, range(tickets[0], tickets[0] + 10), "tickets in order")
	world.step()
	equal([world.unit_activity(3), world.unit_team(5), world.unit_class(5)], ["dwelling", 5, 1], "what units are")
	check(world.why_waits(3) != "", "why a unit waits")
	equal(Array(world.units_in(Rect2i(0, 0, 5, 6))), [0, 1], "units of an area")
	var kinds := world.events().map(func(event): return event.kind)
	for kind in ["ordered", "team_set", "speed_factor_set", "priority_set", "class_set"]:
		check(kind in kinds, "no event %s" % kind)
	for i in 300:
		world.step()
	done.sort()
	equal(done, [[1, "goto_area"], [3, "goto"], [3, "wait"], [4, "goto"]], "orders done")
	equal(failures, [], "orders failed")
	equal([world.unit_cell(4), world.unit_heading(4)], [Vector2i(12, 15), 3], "the pose asked for")
	check(Rect2i(14, 4, 8, 3).has_point(world.unit_cell(1)), "the area asked for")
	check(not world.nothing_left(), "a patrol has no end")
	var seen := []
	world.unit_entered.connect(func(unit: int, container: int): seen.append([unit, container]))
	world.unit_left.connect(func(unit: int): seen.append([unit]))
	world.enter([3], 4)
	world.step()
	equal([seen, Array(world.units_inside(4)), world.has_unit(3)], [[[3, 4]], [3], false], "a unit inside another")
	equal(world.leave(4, Vector2i(6, 6)), -1, "a unit on the map cannot leave")
	world.leave(3, Vector2i(6, 6), 1)
	world.step()
	equal([seen.back(), world.unit_cell(3), world.unit_heading(3)], [[3], Vector2i(6, 6), 1], "a unit that is back")
	world.free()


func nodes() -> void:
	var world := WheelbaseWorld.new()
	world.auto_step = false
	var flat := WheelbaseUnit2D.new()
	flat.unit_class = "tank"
	flat.position = Vector2(100, 52)
	flat.rotation = 0.1
	var solid := WheelbaseUnit3D.new()
	solid.unit_class = "tank"
	solid.position = Vector3(200, 7, 80)
	solid.rotation = Vector3(0, PI / 2, 0)
	var odd := WheelbaseUnit2D.new()
	odd.unit_class = "tanc"
	for node in [flat, solid, odd]:
		world.add_child(node)
	root.add_child(world, true)
	world.add_class(TANK)
	var log := []
	flat.spawned.connect(func(unit: int): log.append(["spawned", unit]))
	flat.arrived.connect(func(): log.append("arrived"))
	flat.removed.connect(func(): log.append("removed"))
	equal(flat.goto(Vector2i(3, 3)), -1, "a node without a unit")
	world.start(field())
	has(world.last_error(), ["\"tanc\"", "tank"], "a node with a wrong class")
	world.step()
	equal([flat.unit, solid.unit, odd.unit, log], [0, 1, -1, [["spawned", 0]]], "units of nodes")
	equal([world.unit_heading(0), world.unit_heading(1)], [0, 1], "their headings")
	equal([world.unit_cell(0), world.unit_cell(1)], [Vector2i(6, 3), Vector2i(12, 4)], "their cells")
	await process_frame
	await process_frame
	equal([flat.global_position, flat.rotation], [Vector2(96, 56), 0.0], "where the flat one stands")
	equal(solid.global_position, Vector3(200, 7, 80), "where the solid one stands")
	check(absf(solid.rotation.y - PI / 2) < 1e-5, "how the solid one stands")
	check(flat.goto(Vector2i(10, 10)) >= 0, "an order to a node")
	var moved := false
	for i in 200:
		world.step()
		await process_frame
		moved = moved or flat.global_position.x > 100.0
	equal(log.slice(1), ["arrived"], "the signal of the node")
	check(moved, "the node moved")
	equal(world.cell_at(flat.global_position + Vector2(4, 0).rotated(flat.rotation)), Vector2i(10, 10), "where it went")
	flat.remove()
	world.step()
	equal(log.back(), "removed", "the signal of the node")
	await process_frame
	await process_frame
	check(not is_instance_valid(flat), "the node is freed with its unit")
	# The signals of the world reach it no more.
	world.spawn(0, Vector2i(20, 4))
	world.remove([1])
	world.step()
	await process_frame
	await process_frame
	check(not is_instance_valid(solid) and is_instance_valid(odd), "the other node, too")
	world.queue_free()
	await process_frame


func many() -> void:
	var world := new_world(field(200, 160))
	var parent := MultiMeshInstance2D.new()
	parent.multimesh = MultiMesh.new()
	parent.multimesh.use_colors = true
	parent.multimesh.use_custom_data = true
	parent.multimesh.mesh = QuadMesh.new()
	var drawer := WheelbaseMultiMesh.new()
	drawer.unit_class = "tank"
	drawer.team_colors = PackedColorArray([Color.BLUE, Color.RED])
	parent.add_child(drawer)
	world.add_child(parent)
	var solid := WheelbaseMultiMesh.new()
	solid.multimesh = MultiMesh.new()
	solid.multimesh.transform_format = MultiMesh.TRANSFORM_3D
	solid.height = 3.0
	world.add_child(solid)
	world.spawn_group(0, 3000, Rect2i(0, 0, 200, 160), 1)
	world.step()
	equal(world.unit_count(), 3000, "a crowd")
	await process_frame
	await process_frame
	equal([parent.multimesh.instance_count, solid.multimesh.instance_count], [3000, 3000], "instances")
	equal([drawer.draw(), solid.draw()], [3000, 3000], "transforms")
	var buffer := parent.multimesh.buffer
	if buffer.size() > 0: # a headless server may keep none
		equal([buffer.size(), Vector2(buffer[3], buffer[7])], [3000 * 16, world.unit_position(0)], "the buffer")
		equal(Color(buffer[8], buffer[9], buffer[10], buffer[11]), Color.RED, "the color of its team")
		equal(solid.multimesh.buffer.size(), 3000 * 12, "the buffer in 3D")
		print("buffers were read back")
	world.remove(world.units().slice(0, 1000))
	world.step()
	equal([drawer.draw(), parent.multimesh.instance_count], [2000, 2000], "instances after a loss")
	drawer.unit_class = "tanc"
	equal(drawer.draw(), 0, "a class that is none")
	has(drawer.last_error(), ["tanc", "tank"], "its message")
	world.order_goto_group(world.units(), Vector2i(100, 80))
	var begun := Time.get_ticks_usec()
	for i in 20:
		world.step()
	var stepped := Time.get_ticks_usec()
	drawer.unit_class = ""
	for i in 20:
		drawer.draw()
	print("2,000 units: %.1f ms per tick, %.2f ms per frame" % [(stepped - begun) / 20e3, (Time.get_ticks_usec() - stepped) / 20e3])
	world.queue_free()
	await process_frame


func steps_itself() -> void:
	var world := new_world(field(), true)
	world.ticks_per_second = 30.0
	world.spawn(0, Vector2i(4, 4))
	var ticks := []
	world.ticked.connect(func(tick: int): ticks.append(tick))
	for i in 12:
		await physics_frame
	world.order_goto([0], Vector2i(20, 4))
	var between := false
	for i in 60:
		await process_frame
		var x := world.unit_position(0).x / 16.0
		between = between or absf(x * 10 - roundf(x * 10)) > 0.01
	check(ticks.size() >= 5 and ticks == range(1, ticks.size() + 1), "ticks in physics frames: %s" % [ticks])
	check(between, "drawn between ticks")
	world.queue_free()
	await process_frame
