using System.IO;
using UnrealBuildTool;

// The headers and the static library lie in ThirdParty of the plugin: see its README.
public class Wheelbase : ModuleRules
{
    public Wheelbase(ReadOnlyTargetRules target) : base(target)
    {
        PCHUsage = PCHUsageMode.UseExplicitOrSharedPCHs;
        PublicDependencyModuleNames.AddRange(new[] { "Core", "CoreUObject", "Engine" });

        string thirdParty = Path.Combine(PluginDirectory, "ThirdParty");
        PrivateIncludePaths.Add(Path.Combine(thirdParty, "include"));
        if (target.Platform == UnrealTargetPlatform.Win64)
        {
            PublicAdditionalLibraries.Add(Path.Combine(thirdParty, "lib", "wheelbase_c.lib"));
            // What Rust's standard library uses.
            PublicSystemLibraries.AddRange(new[] { "bcrypt.lib", "ntdll.lib", "userenv.lib", "ws2_32.lib" });
        }
        else
        {
            PublicAdditionalLibraries.Add(Path.Combine(thirdParty, "lib", "libwheelbase_c.a"));
        }
    }
}
