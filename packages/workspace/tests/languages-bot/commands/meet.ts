import { command, date } from '@botwright/framework'

export default command({
  description: 'Shows when we meet',
  args: { when: date({ zone: 'Europe/Berlin' }) },
  run: (ctx) => ctx.t('meeting', { when: ctx.args.when }),
})
