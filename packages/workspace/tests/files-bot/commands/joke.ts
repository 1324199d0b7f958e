import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { command, oneOf } from '@botwright/framework'

export default command({
  description: 'Tells a joke',
  args: { about: oneOf('cats', 'dogs') },
  run: (ctx) => readFile(join(import.meta.dirname, `../assets/jokes/${ctx.args.about}.txt`), 'utf8'),
})
