// Where C# has the fields of each structure: the lines of layout.c, which prints where C has them.
using System;
using System.Reflection;
using System.Runtime.InteropServices;
using Wheelbase;

static class Layout
{
    internal static int Print()
    {
        foreach (var type in typeof(Native).Assembly.GetTypes())
        {
            var isRaw = type.DeclaringType == typeof(Native);
            var isRow = type.IsValueType && !type.IsEnum && type.IsPublic && type.Namespace == "Wheelbase" && type.IsLayoutSequential &&
                Array.IndexOf(Shown, type.Name) >= 0;
            if (!isRaw && !isRow) continue;
            Console.WriteLine("{0} {1}", type.Name, Marshal.SizeOf(type));
            foreach (var field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic))
                Console.WriteLine("{0}.{1} {2}", type.Name, field.Name, Marshal.OffsetOf(type, field.Name));
        }
        return 0;
    }

    static readonly string[] Shown =
    {
        "MapInfo", "CellRect", "Change", "Cell", "ClassInfo", "GroupPose", "Pose", "PathPose", "Answer", "AgentRow", "EventRow", "EventDetails", "Counts", "WorldMemory",
        "TaskList", "WaitReason", "PathRequest",
    };
}
