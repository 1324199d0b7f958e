import { once } from 'node:events'
import { connect } from 'node:net'
import { onDispose } from '@botwright/framework'

const socket = connect(Number(process.env['PRICES_PORT']))
let price = 'unknown'
socket.on('data', (data) => (price = data.toString()))
onDispose(async () => {
  socket.end()
  await once(socket, 'close')
})

export const latestPrice = () => price
