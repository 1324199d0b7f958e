import { button, cooldown } from '@botwright/framework'

export default button({
  guards: [cooldown('10s', { per: 'channel' })],
  run: () => '♪♪',
})
