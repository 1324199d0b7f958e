import { command, rest, row } from '@botwright/framework'
import noted from '../buttons/note.ts'

export default command({
  description: 'Hides a note behind a button',
  args: { note: rest() },
  run: ({ args, user }) => ({
    content: `${user.name} has noted something.`,
    components: [row(noted.button({ by: user.id, note: args.note }, { label: 'Read' }))],
  }),
})
