/**
 * The shell for operators of the example scheduler: the shell of csi4j with the scheduler's own commands. {@link
 * io.csi4j.examples.shell.SchedulerShell} is the program.
 */
@NullMarked
package io.csi4j.examples.shell;

import org.jspecify.annotations.NullMarked;
