import { command, text } from '@botwright/framework'
import zones from '../state/zones.ts'

const zone = text().check((name) => Intl.supportedValuesOf('timeZone').includes(name) || 'is not a time zone')

export default command({
  description: 'Sets your time zone',
  args: { zone },
  run: async (ctx) => {
    await zones.of(ctx).set(ctx.args.zone)
    return `Your time zone is ${ctx.args.zone}.`
  },
})
