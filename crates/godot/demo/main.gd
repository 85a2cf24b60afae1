extends Node2D
## Two columns change sides at a river. A left drag selects blue units in a box, a right click sends them.

const WIDTH := 144
const HEIGHT := 80
const COLUMN := 400

@onready var world: WheelbaseWorld = $World
var selected: PackedInt32Array = []
var corner := Vector2.INF


func _ready() -> void:
	world.add_class_file("res://tank.toml")
	var rows: PackedStringArray = []
	for y in HEIGHT:
		var bridge := y % 20 in [8, 9, 10, 11]
		rows.append(".".repeat(68) + (".".repeat(8) if bridge else "W".repeat(8)) + ".".repeat(68))
	var map := WheelbaseMap.new()
	map.read_text("\n".join(rows))
	world.order_failed.connect(func(unit, order, reason): print("unit %d: %s: %s" % [unit, order, reason]))
	world.befriend(0, 1) # so that those who rest make way for the others
	if world.start(map) != OK:
		return
	world.spawn_group(0, COLUMN, Rect2i(2, 2, 50, HEIGHT - 4), 0)
	world.spawn_group(0, COLUMN, Rect2i(92, 2, 50, HEIGHT - 4), 1)
	await world.ticked
	for team in 2:
		var column := Array(world.units()).filter(func(unit): return world.unit_team(unit) == team)
		world.order_goto_group(column, Vector2i(110 if team == 0 else 34, HEIGHT / 2))


func _unhandled_input(event: InputEvent) -> void:
	var mouse := event as InputEventMouseButton
	if mouse == null:
		return
	var cell := world.cell_at(get_global_mouse_position())
	if mouse.button_index == MOUSE_BUTTON_RIGHT and mouse.pressed:
		world.order_goto_group(selected, cell)
	elif mouse.button_index == MOUSE_BUTTON_LEFT and mouse.pressed:
		corner = get_global_mouse_position()
	elif mouse.button_index == MOUSE_BUTTON_LEFT and corner != Vector2.INF:
		var from := world.cell_at(corner)
		var area := Rect2i(from, cell - from).abs()
		selected = world.units_in(Rect2i(area.position, area.size + Vector2i.ONE))
		selected = Array(selected).filter(func(unit): return world.unit_team(unit) == 0)
		corner = Vector2.INF


func _process(_delta: float) -> void:
	queue_redraw()


func _draw() -> void:
	for y in HEIGHT:
		if world.terrain_at(Vector2i(70, y)) == "water":
			draw_rect(Rect2(68 * 8, y * 8, 64, 8), Color(0.25, 0.4, 0.6))
	for unit in selected:
		if world.has_unit(unit):
			draw_arc(world.unit_position(unit), 8.0, 0.0, TAU, 12, Color.WHITE)
	if corner != Vector2.INF:
		draw_rect(Rect2(corner, get_global_mouse_position() - corner), Color.WHITE, false)
