import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // oclif writes through console; an interception would hide what commands print.
    disableConsoleIntercept: true,
    forbidOnly: true,
  } as never,
})
