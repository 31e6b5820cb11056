/** Removes sensitive values and line breaks from texts that are shown to people, and limits their length. Internal to csi4j. */
@NullMarked
package io.csi4j.client.internal.text;

import org.jspecify.annotations.NullMarked;
