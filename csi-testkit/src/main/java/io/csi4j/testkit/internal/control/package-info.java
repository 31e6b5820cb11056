/** The control socket, with which another process adds faults and reads the history. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.control;

import org.jspecify.annotations.NullMarked;
