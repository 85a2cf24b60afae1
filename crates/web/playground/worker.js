// The script of the Worker, where each message is the port of a new session. A page without Workers runs it itself, and
// it leaves `serve` there.
import { serve } from './session.js';

if (typeof document === 'undefined') {
  globalThis.onmessage = ({ data }) => serve(data);
  postMessage('ready');
} else {
  globalThis.serveSession = serve;
}
