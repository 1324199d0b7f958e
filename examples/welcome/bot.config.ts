import { defineConfig } from '@botwright/framework'
import reactionRoles from '@botwright/plugins/reaction-roles'
import welcome from '@botwright/plugins/welcome'
import { MEMBER } from './lib/roles.ts'

const rules = {
  text: '1. Be kind.\n2. Stay on topic.\nReact with ✅ to agree.',
  roles: { '✅': MEMBER },
  list: false,
  removable: false,
  thanks: 'Thank you! You are now a member.',
}

export default defineConfig({
  plugins: {
    'reaction-roles': reactionRoles({ messages: { rules } }),
    welcome: welcome({ text: 'Welcome, {member}! You are member number {count}. Try `/roles`.' }),
  },
})
