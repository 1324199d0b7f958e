import { defineConfig } from '@botwright/framework'
import languages from '@botwright/languages'

export default defineConfig({
  plugins: { languages: languages({ fallback: 'en', timezone: 'Europe/Berlin' }) },
})
