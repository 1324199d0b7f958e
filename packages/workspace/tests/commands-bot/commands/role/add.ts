import { channel, command, list, oneOf, user } from '@botwright/framework'

export default command({
  description: 'Gives people a role',
  aliases: ['plus'],
  args: {
    role: oneOf('helper', 'speaker'),
    where: channel({ type: 'text' }),
    people: list(user(), { max: 3 }),
  },
  run: ({ args }) => `${args.role} in <#${args.where}>: ${args.people.map((id) => `<@${id}>`).join(' ')}`,
})
