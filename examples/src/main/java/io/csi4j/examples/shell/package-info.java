/** The shell for operators of the example scheduler. {@link io.csi4j.examples.shell.Csi} is the program. */
@NullMarked
package io.csi4j.examples.shell;

import org.jspecify.annotations.NullMarked;
