/** The part of WebAssembly that this room uses. TypeScript has it only with the whole of the browser. */
declare namespace WebAssembly {
  class Module {
    private readonly brand: undefined;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
  }
  class RuntimeError extends Error {}
  function compile(bytes: BufferSource): Promise<Module>;
  function validate(bytes: BufferSource): boolean;
}

type BufferSource = ArrayBufferView<ArrayBuffer> | ArrayBuffer;
