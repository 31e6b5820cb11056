/** Texts that are shown to people: without sensitive values, on one line, and not too long. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.text;

import org.jspecify.annotations.NullMarked;
