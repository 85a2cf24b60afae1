// Stand-ins for the few classes of Unity that the samples use, and a run of the sample: frames, and one click.
using System;
using System.Collections.Generic;
using System.Reflection;

namespace UnityEngine
{
    public struct Vector3
    {
        public float x, y, z;
        public Vector3(float x, float y, float z) { this.x = x; this.y = y; this.z = z; }
        public static Vector3 up { get { return new Vector3(0, 1, 0); } }
        public static Vector3 zero { get { return new Vector3(); } }
    }

    public struct Quaternion
    {
        public float yaw;
        public static Quaternion Euler(float x, float y, float z) { return new Quaternion { yaw = y }; }
    }

    public struct Ray
    {
        public Vector3 origin, direction;
        public Vector3 GetPoint(float distance)
        {
            return new Vector3(origin.x + direction.x * distance, origin.y + direction.y * distance, origin.z + direction.z * distance);
        }
    }

    public struct Plane
    {
        public Plane(Vector3 normal, Vector3 point) { }
        public bool Raycast(Ray ray, out float distance)
        {
            distance = -ray.origin.y / ray.direction.y;
            return distance > 0;
        }
    }

    /// <summary>Here unlike in Unity, so that a script which means Wheelbase's has to say so.</summary>
    public struct Pose { }

    public static class Mathf
    {
        public static int FloorToInt(float x) { return (int)Math.Floor(x); }
        public static float Lerp(float a, float b, float t) { return a + (b - a) * t; }
    }

    public static class Time { public static float deltaTime = 1 / 60f; }

    public static class Input
    {
        internal static bool pressed;
        public static Vector3 mousePosition;
        public static bool GetMouseButtonDown(int button) { return pressed && button == 0; }
    }

    public static class Debug { public static void Log(object message) { throw new Exception("" + message); } }

    public class Object
    {
        internal static int alive;
        public static T Instantiate<T>(T original, Transform parent) where T : Object, new() { alive++; return new T(); }
        public static void Destroy(Object one) { alive--; }
    }

    public class Transform : Object
    {
        public Vector3 position;
        public Quaternion rotation;
        internal static readonly HashSet<Transform> Moved = new HashSet<Transform>();
        public void SetPositionAndRotation(Vector3 to, Quaternion turned)
        {
            position = to;
            rotation = turned;
            Moved.Add(this);
        }
    }

    public class GameObject : Object { public readonly Transform transform = new Transform(); }

    public class MonoBehaviour : Object { public readonly Transform transform = new Transform(); }

    public class Camera : Object
    {
        public static Camera main = new Camera();
        public Ray ScreenPointToRay(Vector3 at)
        {
            return new Ray { origin = new Vector3(at.x, 50, at.y), direction = new Vector3(0, -1, 0) };
        }
    }
}

static class Run
{
    /// <summary>As the engine calls methods that are not public.</summary>
    static void Call(object script, string method)
    {
        script.GetType().GetMethod(method, BindingFlags.Instance | BindingFlags.NonPublic).Invoke(script, null);
    }

    static double MeanX()
    {
        double sum = 0;
        foreach (var one in UnityEngine.Transform.Moved) sum += one.position.x;
        return sum / UnityEngine.Transform.Moved.Count;
    }

    static void Require(bool isRight, string what)
    {
        if (isRight) return;
        Console.WriteLine("the sample: " + what);
        Environment.Exit(1);
    }

    static void Main()
    {
        var crowd = new Crowd { Tank = new UnityEngine.GameObject() };
        Call(crowd, "Start");
        for (var frame = 0; frame < 6; frame++) Call(crowd, "Update");
        Require(UnityEngine.Object.alive == crowd.Units, UnityEngine.Object.alive + " objects");
        Require(UnityEngine.Transform.Moved.Count == crowd.Units, "some were not drawn");
        var before = MeanX();
        UnityEngine.Input.mousePosition = new UnityEngine.Vector3(80.5f, -32.5f, 0);
        UnityEngine.Input.pressed = true;
        Call(crowd, "Update");
        UnityEngine.Input.pressed = false;
        for (var frame = 0; frame < 200; frame++) Call(crowd, "Update");
        var after = MeanX();
        Require(after > before + 2, "from " + before + " to " + after + " on average");
        var between = 0;
        foreach (var one in UnityEngine.Transform.Moved) if (Math.Abs(one.position.x * 2 % 1) > 0.01) between++;
        Require(between > 0, "nobody is drawn between two cells");
        Call(crowd, "OnDestroy");
        Console.WriteLine("{0} tanks moved by {1:0.0} cells", crowd.Units, after - before);
    }
}
