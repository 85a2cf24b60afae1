using System.Collections.Generic;
using UnityEngine;
using Wheelbase;
using Pose = Wheelbase.Pose;

/// <summary>A crowd of tanks on the plane of x and z. A left click sends all of them there.</summary>
/// <remarks>Put it on an empty object of a scene with a main camera that looks down, for example from (48, 60, -70). Rows of the map grow
/// to the south, which is -z here.</remarks>
public sealed class Crowd : MonoBehaviour
{
    const string TankClass = @"
[class.tank]
headings = 4
footprint = [""X>""]
moves = [
  { name = ""forward"", by = [1, 0], time = 5 },
  { name = ""reverse"", by = [-1, 0], time = 10 },
  { name = ""left"", turn = 1, time = 5 },
  { name = ""right"", turn = -1, time = 5 },
]
";

    /// <summary>A tank of one by two, with its front towards +z and its origin in the middle of the front cell.</summary>
    public GameObject Tank;
    public int Units = 200;
    public float TicksPerSecond = 20;

    World world;
    /// <summary>The time that is drawn, in ticks: in the last tick of the world.</summary>
    double time;
    readonly Dictionary<uint, GameObject> looks = new Dictionary<uint, GameObject>();

    void Start()
    {
        var row = new string('.', 96);
        var rows = new string[64];
        for (var i = 0; i < rows.Length; i++) rows[i] = row;
        using (var map = GridMap.FromRows(rows))
        using (var tank = MovementClass.Parse("tank.toml", TankClass))
        using (var tables = MovementTables.Compile(map, tank))
        using (var setup = new Setup(map, new WorldSettings { Name = "crowd", Seed = 1 }))
        {
            setup.AddClass(tables);
            world = World.Create(setup);
        }
        for (var i = 0; i < Units; i++) world.Spawn(new Spawn(0, new Pose(2 + 3 * (i % 10), 2 + 3 * (i / 10) % 60, 0)));
    }

    void Update()
    {
        if (Input.GetMouseButtonDown(0)) Send();
        time += Time.deltaTime * TicksPerSecond;
        // A machine that is too slow makes the world slower.
        if (time > world.Tick + 8) time = world.Tick + 8;
        while (world.Tick < time)
        {
            world.Step();
            foreach (var one in world.Events) Show(one);
        }
        Draw();
    }

    /// <summary>All units go to poses around the cell under the mouse.</summary>
    void Send()
    {
        var ray = Camera.main.ScreenPointToRay(Input.mousePosition);
        float distance;
        if (!new Plane(Vector3.up, Vector3.zero).Raycast(ray, out distance)) return;
        var at = ray.GetPoint(distance);
        var rows = world.Agents;
        var all = new uint[rows.Count];
        for (var i = 0; i < all.Length; i++) all[i] = rows[i].Id;
        if (all.Length > 0) world.Order(all, Order.GoToGroup(Mathf.FloorToInt(at.x), Mathf.FloorToInt(-at.z)));
    }

    void Show(EventRow one)
    {
        GameObject look;
        switch (one.Kind)
        {
            case EventKind.Spawned:
                looks[one.Agent] = Instantiate(Tank, transform);
                break;
            case EventKind.Removed:
                if (looks.TryGetValue(one.Agent, out look)) Destroy(look);
                looks.Remove(one.Agent);
                break;
            case EventKind.OrderFailed:
                Debug.Log("unit " + one.Agent + ": " + Library.NameOf((OrderFailure)one.C));
                break;
            case EventKind.Refused:
                Debug.Log("command " + one.Ticket + ": " + Library.NameOf((Refusal)one.A));
                break;
        }
    }

    void Draw()
    {
        var rows = world.Agents;
        for (var i = 0; i < rows.Count; i++)
        {
            var row = rows[i];
            var part = row.Progress(time);
            var x = Mathf.Lerp(row.FromX, row.ToX, part) + 0.5f;
            var y = Mathf.Lerp(row.FromY, row.ToY, part) + 0.5f;
            // Headings count from +x to the left; yaw counts from +z to the right.
            var yaw = 90 - 90 * (row.FromHeading + row.Turn * part);
            looks[row.Id].transform.SetPositionAndRotation(new Vector3(x, 0, -y), Quaternion.Euler(0, yaw, 0));
        }
    }

    void OnDestroy()
    {
        if (world != null) world.Dispose();
    }
}
