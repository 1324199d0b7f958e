import { command } from '@botwright/framework'
import notes from '../../state/notes.ts'

export default command({
  description: 'Shows the notes of the person',
  run: async (ctx) => {
    const all = await notes.of(ctx).get()
    // A message has at most 2,000 characters.
    return all.length === 0 ? 'You have no notes.' : all.map((note) => `- ${note.slice(0, 90)}`).join('\n')
  },
})
