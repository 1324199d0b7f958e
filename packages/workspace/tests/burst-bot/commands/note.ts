import { command, rest } from '@botwright/framework'

export default command({
  description: 'Stores a note',
  args: { note: rest() },
  gather: { quiet: '2s', max: '30s', per: 'channel' },
  run: (ctx) => `Stored ${ctx.events.length} notes. The last one: ${ctx.args.note}`,
})
