/** Node's `crypto`, loaded by its first use: it takes a tenth of the time in which a worker starts, and few events need it. */
export const lateCrypto = () => process.getBuiltinModule('node:crypto')
