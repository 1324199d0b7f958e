import { command, hasRole, rest } from '@botwright/framework'

export default command({
  description: 'Answers people with a role',
  args: { text: rest() },
  guards: [hasRole('Staff')],
  run: (ctx) => `staff ${ctx.args.text} for ${ctx.user.id}`,
})
