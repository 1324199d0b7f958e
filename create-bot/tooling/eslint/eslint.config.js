import botwright from '@botwright/dev/lint'
import js from '@eslint/js'
import { defineConfig, globalIgnores } from 'eslint/config'
import tseslint from 'typescript-eslint'

export default defineConfig(
  globalIgnores(['dist/', 'out/', '.botwright/', '.framework/', 'packages.local/']),
  js.configs.recommended,
  botwright.configs.recommended,
  // `framework check` knows the globals of Node.
  { rules: { 'no-undef': 'off' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: { '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }] },
  },
)
