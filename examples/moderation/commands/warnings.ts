import { command, user } from '@botwright/framework'
import warnings from '../state/warnings.ts'

export default command({
  description: 'Shows the warnings of a member',
  args: { member: user() },
  run: async (ctx) => {
    const { member: user_id } = ctx.args
    const all = await warnings.of(ctx, { user_id }).get()
    if (all.length === 0) return `<@${user_id}> has no warnings.`
    return [`Warnings of <@${user_id}>:`, ...all.map((reason, index) => `${index + 1}. ${reason}`)].join('\n')
  },
})
