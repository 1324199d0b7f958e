import { startPeer } from './_botwright.mjs'

export const start = (options) => startPeer('worker', options, { record: true })
