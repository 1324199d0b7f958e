import { startPeer } from './_botwright.mjs'

export const start = (options) => startPeer('inline', options, { record: true })
