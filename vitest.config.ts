import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // oclif writes through console; an interception would hide what commands print.
    disableConsoleIntercept: true,
    forbidOnly: true,
    // Tests wait more than they compute: two at a time on two cores, where vitest would take one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  } as never,
})
