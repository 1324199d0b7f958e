import { boolean, command, date, duration, rest, user } from '@botwright/framework'

export default command({
  description: 'Sets a reminder',
  aliases: ['r'],
  args: {
    when: date({ zone: 'Europe/Berlin', when: 'future' }).describe('When to remind'),
    what: rest({ max: 200 }).describe('What to remind you of'),
    to: user().optional().flag().describe('Who to remind; you by default'),
    every: duration({ min: '1m' }).optional().flag(),
    loud: boolean(),
  },
  examples: ['tomorrow 18:00 buy milk', 'in 2h --to=@ben call me back'],
  run: ({ args, user: me }) => {
    const { when, what, to = me.id, every, loud } = args
    return `${loud ? '**' : ''}${what}${loud ? '**' : ''} for <@${to}> at ${when.toISOString()}, every ${every ?? 'never'}`
  },
})
