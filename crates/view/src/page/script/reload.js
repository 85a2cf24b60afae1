"use strict";
// A page that was opened as a file may not read files, but may run a script: the one next to it calls with the version
// of the page as last written.
{
  const shown = "{{version}}";
  globalThis.wheelbaseVersion = (version) => {
    if (version !== shown) location.reload();
  };
  const timer = setInterval(() => {
    const script = document.createElement("script");
    script.src = `${location.pathname}.js?${Date.now()}`;
    script.onload = () => script.remove();
    // It is gone: nothing is written any more.
    script.onerror = () => clearInterval(timer);
    document.head.append(script);
  }, 500);
}
