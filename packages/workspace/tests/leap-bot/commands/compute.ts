/** Occupies its thread. */
export default () => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1300)
  return 'Computed.'
}
