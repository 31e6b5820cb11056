/** Objects as JSON: one line for a field says its name, its meaning and its value. */
@NullMarked
package io.csi4j.admin.internal.json;

import org.jspecify.annotations.NullMarked;
