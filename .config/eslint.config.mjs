import { globalIgnores } from 'eslint/config'
import { fileURLToPath } from 'node:url'
import tseslint from 'typescript-eslint'

/** The injected clock is the only source of time in these packages, so that a day can be tested in milliseconds. */
const clockOnly = ['rest', 'events', 'service', 'framework'].map((name) => `packages/${name}/src/**/*.ts`)
const tests = ['**/*.test.ts', '**/*.test.fixture.ts', '**/*.test-d.ts', 'packages/workspace/tests/**']
const fix = 'take a Clock of @botwright/clock instead'

export default tseslint.config(
  globalIgnores([
    '**/node_modules/',
    '**/dist/',
    '**/.botwright/',
    '**/.framework/',
    'coverage/',
    'packages/service/page/',
    'create-bot/templates/',
    '**/*.generated.ts',
  ]),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: fileURLToPath(new URL('..', import.meta.url)) },
    },
    rules: {
      eqeqeq: ['error', 'always'],
      'no-var': 'error',
      'prefer-const': 'error',
      'no-empty': 'error',
      'no-self-compare': 'error',
      'no-unreachable': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // `Name | string` tells the reader something that the compiler has no use for.
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      // An async function with nothing to await is how a port's synchronous adapter is written.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
  {
    files: clockOnly,
    ignores: [...tests, 'packages/service/src/page/**'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval', 'performance'].map((name) => ({ name, message: fix })),
      ],
      'no-restricted-properties': ['error', { object: 'Date', property: 'now', message: fix }],
      'no-restricted-imports': ['error', { paths: ['timers', 'node:timers', 'node:timers/promises'] }],
    },
  },
  {
    // expect(object.method) takes methods apart by design, and the matchers of vitest, as expect.any(String), are `any`.
    files: tests,
    rules: { '@typescript-eslint/unbound-method': 'off', '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  {
    // Outside the project references: scripts, configuration, the web page's own program, and bots that are compiled where they land.
    files: [
      '**/*.{js,mjs,cjs}',
      '.config/**',
      'templates/**',
      'packages/service/src/page/**',
      'packages/workspace/bench/**',
      'packages/*/{fixtures,src/**/fixtures}/**',
    ],
    extends: [tseslint.configs.disableTypeChecked],
  },
)
