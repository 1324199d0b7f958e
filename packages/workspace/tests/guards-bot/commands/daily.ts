import { command, cooldown, serverOnly } from '@botwright/framework'

export default command({
  description: 'Your daily coins',
  guards: [serverOnly(), cooldown('1d')],
  run: (ctx) => `${ctx.user.name} gets 10 coins`,
})
