// The script of the Worker. On a page without Workers it is run there, and leaves `serve` for it.
import { serve } from './session.js';

if (typeof document === 'undefined') serve(globalThis);
else globalThis.serveSession = serve;
