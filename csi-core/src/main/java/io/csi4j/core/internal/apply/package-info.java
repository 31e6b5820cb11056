/**
 * The effects of commands on rows. {@link io.csi4j.core.internal.apply.CommandApplication} decides which rows a command changes, with one
 * handler for each kind of command; it reads and writes rows through {@link io.csi4j.core.state.StateReader} and {@link
 * io.csi4j.core.internal.apply.WritableState}. A store only stores rows and contains no rules. For the stores of csi4j; not part of
 * the API.
 */
@NullMarked
package io.csi4j.core.internal.apply;

import org.jspecify.annotations.NullMarked;
