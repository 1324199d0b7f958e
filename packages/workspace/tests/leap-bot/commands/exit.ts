/** Ends its thread. */
export default () => process.exit(1)
