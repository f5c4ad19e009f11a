import type { DiagnosisReport, ReportFinding } from './report.ts'

/** The report as JUnit XML: a suite for each subject, a case for each finding; a warning is a skipped case. */
export function junitOf(report: DiagnosisReport): string {
  const suites = report.subjects.map(({ ref, findings }) => {
    const count = (status: string) => findings.filter((finding) => finding.status === status).length
    const head = `<testsuite name="${xml(ref)}" tests="${findings.length}" failures="${count('fail')}" skipped="${findings.length - count('fail') - count('pass') - count('info')}">`
    return [`  ${head}`, ...findings.map(caseOf), '  </testsuite>'].join('\n')
  })
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites name="kubectl-mig diagnose">',
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

function caseOf({ code, title, status, cause, evidence }: ReportFinding): string {
  const name = `    <testcase classname="${code}" name="${xml(title)}"`
  if (status === 'pass' || status === 'info') return `${name}/>`
  if (status !== 'fail')
    return `${name}><skipped message="${xml(`${status}: ${cause}`)}"/></testcase>`
  const quotes = evidence
    .map(({ source, field, value }) => `${source} ${field ?? ''}: ${value}`)
    .join('\n')
  return `${name}><failure message="${xml(cause)}">${xml(quotes)}</failure></testcase>`
}

function xml(text: string): string {
  return (
    text
      // XML 1.0 has no way to write most control characters.
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
  )
}
