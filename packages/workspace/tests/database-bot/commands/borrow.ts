import { command, rest } from '@botwright/framework'
import db from '../resources/db.ts'

export default command({
  description: 'Borrows a book',
  args: { title: rest() },
  run: (ctx) => {
    const { title } = ctx.args
    const add = db.value.prepare('INSERT OR IGNORE INTO books VALUES (?, ?)')
    return add.run(title, ctx.user.name).changes === 1 ? `You have ${title}.` : `Someone else has ${title}.`
  },
})
