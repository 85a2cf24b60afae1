//! The door for WebAssembly: one function, called by `run_wasm.mjs`.

/// Plays the scene on the calling thread. Returns where its text lies, in UTF-8: the address in the upper 32 bits, the
/// length in bytes in the lower. The text stays there for good.
#[unsafe(no_mangle)]
pub extern "C" fn golden() -> u64 {
    let text = match crate::run(1) {
        Ok(outcome) => outcome.to_string(),
        Err(error) => format!("{error}\n"),
    };
    let text: &'static str = text.leak();
    (text.as_ptr() as u64) << 32 | text.len() as u64
}
